"""The numbers behind a ranking: a prompt and the published index in, every hit with its reason and the pools out.

It is the hook's own search, asked for a listing: tiers and reasons are those that the hook would give.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.passages import cut_passages
from retrieval.lexical.search import pool_of, search
from retrieval.lexical.segment import FORMAL, SHADOW

if TYPE_CHECKING:
    from retrieval.lexical.packed import Index
    from retrieval.lexical.results import Floors, Hits


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One prompt's hits, the sizes of the two pools, and how many formal rules share any word with the prompt."""

    hits: Hits
    floors: Floors
    formal_pool: int
    shadow_pool: int
    matches: int


def rank(prompt: str, *, index: Index, project_id: str, hidden: frozenset[str]) -> Ranking:
    """Raises IndexUnreadable."""
    pools = Counter(pool_of(number, index=index, project_id=project_id) for number in index.numbers())
    matched = MatchedPrompt(cut_passages(prompt), index).rank(0.0)
    return Ranking(
        hits=search(prompt, index=index, project_id=project_id, hidden=hidden, floor=0.0),
        floors=index.floors,
        formal_pool=pools[FORMAL],
        shadow_pool=pools[SHADOW],
        matches=sum(pool_of(match.number, index=index, project_id=project_id) == FORMAL for match in matched),
    )
