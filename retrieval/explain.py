"""The numbers behind a ranking: a prompt and the published index in, every hit with its reason and the pools out.

It is the hook's own search, asked for a listing: tiers and reasons are those that the hook would give.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.lexical.concepts import tokenize_with_concepts
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.packing import term_counts
from retrieval.lexical.passages import clip_prompt, cut_passages
from retrieval.lexical.search import search
from retrieval.lexical.segment import FORMAL, SHADOW
from retrieval.tfidf import tfidf_cosine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retrieval.lexical.meaning import Blend
    from retrieval.lexical.packed import Index
    from retrieval.lexical.results import Floors, Hit, Hits


MOST_KNOWN = 32  # pairs of an index and a project
_known_sizes: dict[tuple[object, int, str], Counter[int]] = {}


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One prompt's hits, the sizes of the two pools, and how many formal rules share any word with the prompt.

    `tfidf`: for each hit's rule_id the TF-IDF cosine with the prompt, to compare with; nothing goes by it.
    """

    hits: Hits
    floors: Floors
    formal_pool: int
    shadow_pool: int
    matches: int
    tfidf: dict[str, float]


def rank(
    prompt: str,
    *,
    index: Index,
    project_id: str,
    hidden: frozenset[str],
    blend: Blend | None = None,
) -> Ranking:
    """Raises IndexUnreadable."""
    pools = _pool_sizes(index, project_id)
    matched = MatchedPrompt(cut_passages(prompt), index).rank(0.0)
    hits = search(prompt, index=index, project_id=project_id, hidden=hidden, floor=0.0, blend=blend)
    return Ranking(
        hits=hits,
        floors=index.floors,
        formal_pool=pools[FORMAL],
        shadow_pool=pools[SHADOW],
        matches=sum(index.pool_of(match.number, project_id=project_id) == FORMAL for match in matched),
        tfidf=_tfidf(prompt, [*hits.formal, *hits.shadow], index),
    )


def _tfidf(prompt: str, hits: Iterable[Hit], index: Index) -> dict[str, float]:
    typed = Counter(term for term, _ in tokenize_with_concepts(clip_prompt(prompt)))
    idf = index.base.idf_or_rarest
    return {hit.document.rule_id: tfidf_cosine(typed, term_counts(hit.document), idf=idf) for hit in hits}


def _pool_sizes(index: Index, project_id: str) -> Counter[int]:
    """Remembered for the index at hand: who tries prompts asks again with every key."""
    key = (index.base_id, index.change_counter, project_id)
    if key not in _known_sizes:
        if len(_known_sizes) >= MOST_KNOWN:
            _known_sizes.clear()
        _known_sizes[key] = Counter(index.pool_of(number, project_id=project_id) for number in index.numbers())
    return _known_sizes[key]
