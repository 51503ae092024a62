"""The one way in: a prompt and an open index in, tiered hits out, formal and shadow pool apart.

Rules are ranked by BM25 and gated by evidence, in both of which the embed server's answer has its share. The floor is the
one that was calibrated for short or for long prompts; a long prompt is matched passage by passage, and the best passage
counts for each rule.
"""

from __future__ import annotations

from retrieval.lexical.floors import floor_for
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.overlap import Chosen
from retrieval.lexical.passages import clip_prompt, cut_passages
from retrieval.lexical.phrases import coverage, longest_whole_phrase, occurs
from retrieval.lexical.results import Hit, Hits
from retrieval.lexical.segment import DAMAGE, DAMAGED, FORMAL, SHADOW, IndexUnreadable
from retrieval.lexical.tiers import TIERED_LIMIT, assign_tiers, why_not_enough
from retrieval.lexical.tokens import surfaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from retrieval.lexical.matching import Match
    from retrieval.lexical.meaning import Overlay
    from retrieval.lexical.packed import Index
    from retrieval.lexical.results import Document

    class Meant(Protocol):
        """The embed server's answer, here or on its way: asked for once the words are matched."""

        def over(self, matched: MatchedPrompt, prompt: str, *, floor: float, is_listing: bool) -> Overlay | None: ...


LISTED_LIMIT = 10  # hits per pool that a listing shows, whatever their tier


def search(
    prompt: str,
    *,
    index: Index,
    project_id: str,
    hidden: frozenset[str] = frozenset(),
    floor: float | None = None,
    blend: Meant | None = None,
) -> Hits:
    """The hits of a prompt. `hidden` are short_ids to keep silent; project_id "" sees global rules only.

    `floor` asks for a listing: the best of all that have at least this evidence, with the reason why one is COLD. It does
    not change any tier. `blend` holds the embed server's answer to the prompt. Raises IndexUnreadable.
    """
    try:
        return _search(
            prompt,
            index=index,
            project_id=project_id,
            hidden=hidden,
            listing_floor=floor,
            blend=blend,
        )
    except DAMAGE as error:
        raise IndexUnreadable(DAMAGED) from error


def _search(
    prompt: str,
    *,
    index: Index,
    project_id: str,
    hidden: frozenset[str],
    listing_floor: float | None,
    blend: Meant | None,
) -> Hits:
    prompt = clip_prompt(prompt)
    matched = MatchedPrompt(cut_passages(prompt), index)
    floor = floor_for(index.floors, is_long=matched.is_long)
    is_listing = listing_floor is not None
    overlay = blend.over(matched, prompt, floor=floor, is_listing=is_listing) if blend else None
    least = overlay.least_evidence if overlay else floor
    formal, shadow = _split_pools(matched.rank(least if listing_floor is None else listing_floor), index, project_id)
    if overlay:

        def pool_of(number: int) -> int:
            return index.pool_of(number, project_id=project_id)

        formal = overlay.fuse(formal, overlay.dense.formal, belongs=lambda number: pool_of(number) == FORMAL)
        shadow = overlay.fuse(shadow, overlay.dense.shadow, belongs=lambda number: pool_of(number) == SHADOW)
    judge = _Judge(prompt, matched, floor=floor, hidden=hidden)
    listed = LISTED_LIMIT if is_listing else TIERED_LIMIT
    return Hits(
        formal=judge.hits(formal, listed=listed, drops_twins=True),
        shadow=judge.hits(shadow, listed=listed, drops_twins=False),
        floor=floor,
        is_long=matched.is_long,
    )


def _split_pools(ranked: Iterable[Match], index: Index, project_id: str) -> tuple[list[Match], list[Match]]:
    """The matches of the formal and of the shadow pool."""
    pools: dict[int, list[Match]] = {FORMAL: [], SHADOW: [], 0: []}
    for match in ranked:
        pools[index.pool_of(match.number, project_id=project_id)].append(match)
    return pools[FORMAL], pools[SHADOW]


class _Judge:
    """Turns matches into hits: with the numbers behind the tier, and the reason why one stays silent."""

    def __init__(self, prompt: str, matched: MatchedPrompt, *, floor: float, hidden: frozenset[str]) -> None:
        self._prompt = prompt
        self._matched = matched
        self._floor = floor
        self._hidden = hidden

    def hits(self, ranked: Sequence[Match], *, listed: int, drops_twins: bool) -> tuple[Hit, ...]:
        """The tiered hits, and others among the first ones; best first. What is only counted is counted for each twin."""
        hits: list[Hit] = []
        passed: list[Hit] = []
        chosen = Chosen()
        for match in ranked:
            if len(hits) >= listed and (len(passed) >= TIERED_LIMIT or not self._can_pass(match)):
                continue
            hit = self._hit(match)
            hit.reason = self._why_silent(hit.document) or why_not_enough(hit, floor=self._floor)
            if not hit.reason and drops_twins and len(passed) < TIERED_LIMIT:
                twin = chosen.twin_of(hit.document)
                hit.reason = "" if twin is None else f"says nearly the same as {twin.short_id}"
            if hit.reason and len(hits) >= listed:
                continue
            hits.append(hit)
            if not hit.reason:
                passed.append(hit)
        assign_tiers(passed, floor=self._floor, is_long=self._matched.is_long)
        return tuple(hits)

    def _can_pass(self, match: Match) -> bool:
        return match.evidence >= self._floor if match.meaning is None else match.meaning.fused >= 1

    def _hit(self, match: Match) -> Hit:
        document, passage = self._matched.index.document(match.number), match.passage
        segment, _ = self._matched.index.locate(match.number)
        terms = self._matched.matched_terms(match)
        typed = surfaces(passage.text)
        return Hit(
            document,
            bm25=match.bm25,
            evidence=match.evidence,
            coverage=coverage(document, passage.words, idf=segment.idf),
            words=tuple(dict.fromkeys(typed[word] for word in passage.typed(terms) if word in typed)),
            word_count=passage.count_words(terms),
            variant_hit=longest_whole_phrase((*document.variants, *document.terms), passage.words) > 0,
            is_word_for_word=any(occurs(trigger, passage.text) for trigger in (document.trigger, document.trigger_zh)),
            meaning=match.meaning,
        )

    def _why_silent(self, document: Document) -> str:
        if document.short_id in self._hidden:
            return "dismissed a moment ago"
        for phrase in document.excludes:
            if occurs(phrase, self._prompt):
                return f'the prompt holds "{phrase}", which this rule excludes'
        return ""
