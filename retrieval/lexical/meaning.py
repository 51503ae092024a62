"""The embed server's answer laid over the matches by words: which count, how strong they are, and in which order.

A rule that is not listed has no vector if the list is short; if it is full, it is at most as near as the last one listed.
"""

from __future__ import annotations

from itertools import islice
from math import isfinite

from retrieval.lexical.fusion import (
    CONVEX,
    RRF,
    convex_scores,
    fused_evidence,
    least_word_share,
    rrf_scores,
    top_bm25,
    words_weight,
)
from retrieval.lexical.languages import knows_language
from retrieval.lexical.results import Meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retrieval.lexical.matching import Match, MatchedPrompt
    from retrieval.lexical.results import DenseAnswer

FULL_LIST = 50  # rules of one pool in an answer
BEST_BY_WORDS = 100  # matches that count; of the others, which may be a thousand, only those that are near
LEAST_WORD_SHARE = 0.25  # of the floor; a rule that is not listed is not looked at with less, or many would be


class Blend:
    """One answer of the server, and the order that is asked for: CONVEX or RRF."""

    __slots__ = ("dense", "order")

    def __init__(self, dense: DenseAnswer, *, order: str = CONVEX) -> None:
        self.dense = dense
        self.order = order

    def over(self, matched: MatchedPrompt, prompt: str, *, floor: float, is_listing: bool) -> Overlay | None:
        """None where the answer says nothing: without floors, for a long paste, which means many things at once, and
        for a prompt in a language that the model does not know. In a listing all that is near is shown.
        """
        is_calibrated = all(isfinite(scale) and scale > 0 for scale in self.dense.floors)
        if not is_calibrated or matched.is_long or not knows_language(prompt, self.dense.languages):
            return None
        return Overlay(self, matched, floor=floor, is_listing=is_listing)


class Overlay:
    """A blend over the matches of one prompt.

    `least_evidence` is of words: below it, no rule can pass that is not listed. Those that are, are looked at one by one.
    """

    __slots__ = ("dense", "floor", "is_listing", "least_evidence", "matched", "order")

    def __init__(self, blend: Blend, matched: MatchedPrompt, *, floor: float, is_listing: bool) -> None:
        self.dense = blend.dense
        self.order = blend.order
        self.matched = matched
        self.floor = floor
        self.is_listing = is_listing
        self.least_evidence = floor * min(map(self._least_share, (self.dense.formal, self.dense.shadow)))

    def fuse(
        self, matches: Sequence[Match], nearest: Sequence[tuple[str, float]], *, belongs: Callable[[int], bool]
    ) -> list[Match]:
        """The matches of one pool, with those that only mean the same; best first.

        `belongs` tells by its number whether a rule is in this pool, for since the server looked it may have left it.
        """
        cosines = {number: cosine for number, cosine in self._by_number(nearest).items() if belongs(number)}
        fused = self._fusible(matches, cosines)
        words = {number: match.bm25 for number, match in fused.items() if match.bm25}
        counted = {number: bm25 for number, bm25 in words.items() if self._counts(fused[number], cosines)}
        top = top_bm25(counted.values(), ideal=self.matched.ideal_bm25)
        convex = convex_scores(words, cosines, weight=words_weight(self.dense.model_id), top=top)
        rrf = rrf_scores(counted, cosines)
        unlisted = nearest[-1][1] if len(nearest) >= FULL_LIST else None
        for number, match in fused.items():
            cosine = cosines.get(number)
            match.meaning = self._meaning(
                match.evidence / self.floor if self.floor else 0.0,
                cosine,
                unlisted if cosine is None else cosine,
                scores=(convex.get(number, 0.0), rrf.get(number, 0.0)),
            )
        return sorted(fused.values(), key=self._place)

    def _least_share(self, nearest: Sequence[tuple[str, float]]) -> float:
        if len(nearest) < FULL_LIST:
            return 1.0
        return max(LEAST_WORD_SHARE, least_word_share(self._share(nearest[-1][1])))

    def _fusible(self, matches: Sequence[Match], cosines: Mapping[int, float]) -> dict[int, Match]:
        """The best matches by words, those that are listed, and what is listed and shares too few words to be a match."""
        every = {match.number: match for match in matches}
        fused = dict(islice(every.items(), BEST_BY_WORDS))
        fused |= {number: every[number] for number in cosines if number in every}
        for match in self.matched.matches_of([number for number in cosines if number not in every]):
            if match.evidence or self._is_enough(cosines[match.number]):
                fused[match.number] = match
        return fused

    def _is_enough(self, cosine: float) -> bool:
        """Without a word; in a listing, all that is near is shown."""
        return self.is_listing or cosine - self.dense.offset >= self.dense.floors[1]

    def _counts(self, match: Match, cosines: Mapping[int, float]) -> bool:
        """Whether others are measured by it: not when it is only there for a listing, or that would change the order."""
        return match.number in cosines or match.evidence >= self.least_evidence

    def _by_number(self, nearest: Sequence[tuple[str, float]]) -> dict[int, float]:
        """The cosines of the rules that this index holds."""
        find = (
            self._number_told
            if self.dense.content_id == self.matched.index.content_id
            else self.matched.index.find_rule
        )
        found = ((find(rule_id), cosine) for rule_id, cosine in nearest)
        return {number: cosine for number, cosine in found if number is not None}

    def _number_told(self, rule_id: str) -> int | None:
        """The number that came with the answer, if it is this rule's."""
        number = self.dense.numbers.get(rule_id, -1)
        return number if self.matched.index.is_rule(number, rule_id) else None

    def _meaning(
        self, word_share: float, cosine: float | None, nearness: float | None, *, scores: tuple[float, float]
    ) -> Meaning:
        convex, rrf = scores
        if nearness is None:
            return Meaning(cosine=None, share=0.0, fused=word_share, convex=convex, rrf=rrf)
        share = self._share(nearness)
        alone = 0.0 if cosine is None else (cosine - self.dense.offset) / self.dense.floors[1]
        return Meaning(
            cosine=cosine, share=share, fused=max(fused_evidence(word_share, share), alone), convex=convex, rrf=rrf
        )

    def _share(self, cosine: float) -> float:
        return (cosine - self.dense.offset) / self.dense.floors[0]

    def _place(self, match: Match) -> tuple[float, int]:
        meaning = match.meaning
        if meaning is None:
            return 0.0, match.number
        return -(meaning.rrf if self.order == RRF else meaning.convex), match.number
