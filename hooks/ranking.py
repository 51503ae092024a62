"""An explanation > what the Retrieve page draws: each hit with its bars, the floors as marks on them, and what became of it.

A bar and its marks are shares of the longest value that its kind has in this list, in per cent of the width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooks.hot.arming import may_gate
from hooks.tier_reasons import in_readers_language
from retrieval.lexical.results import Tier
from retrieval.lexical.tiers import HOT_COVERAGE, LONG_HOT_COVERAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hooks.explain import Explanation
    from hooks.nearness import Nearness
    from retrieval.explain import Ranking
    from retrieval.lexical.results import DenseAnswer, Document, Hit

MOST_FORMAL, MOST_SHADOW = 20, 10  # rows of a list
WIDTH = 100.0
ROOM = 1.08  # the longest bar leaves a little room, so that a mark at its end is seen
FUSED_FLOOR = 1.0  # words and meaning together are counted in multiples of their floor
FULL, LINE, CUT, NOT_SHOWN = "full", "line", "cut", ""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One number of a hit. `kind` is the name of the number; marks are floors, `is_passed` tells whether it is above."""

    kind: str
    value: float
    width: float
    marks: tuple[float, ...] = ()
    is_passed: bool = True


@dataclass(frozen=True, kw_only=True)
class RankedHit:
    """`outcome`: in full, by its line, cut by the budget, or not meant to be shown."""

    place: int
    hit: Hit
    bars: tuple[Bar, ...]
    outcome: str

    @property
    def words(self) -> list[str]:
        return sorted(self.hit.words)

    @property
    def reason(self) -> str:
        """In the reader's language."""
        return in_readers_language(self.hit.reason)


@dataclass(frozen=True, kw_only=True)
class RankingPage:
    """Everything that the page shows of one explanation. hidden_*: hits that are further down than the lists go."""

    explanation: Explanation
    formal: list[RankedHit]
    shadow: list[RankedHit]
    hidden_formal: int
    hidden_shadow: int
    verdict: str
    budget_chars: int

    @property
    def injected_chars(self) -> int:
        return len(self.explanation.injection.text)

    @property
    def cosine_floors(self) -> list[float]:
        answer = self.explanation.near.answer
        return [answer.offset + lift for lift in answer.floors] if answer else []

    @property
    def is_searched(self) -> bool:
        return bool(self.explanation.words)


def ranking_page(explanation: Explanation, *, budget_chars: int, is_gate_on: bool) -> RankingPage:
    hits = explanation.ranking.hits
    shown = {rule.document.rule_id: FULL if rule.is_full else LINE for rule in explanation.injection.shown}
    drawn = [*hits.formal[:MOST_FORMAL], *hits.shadow[:MOST_SHADOW]]
    draw = _Scale(drawn, ranking=explanation.ranking, near=explanation.near)
    return RankingPage(
        explanation=explanation,
        formal=[
            RankedHit(place=place, hit=hit, bars=draw.bars(hit), outcome=_outcome(hit, shown))
            for place, hit in enumerate(hits.formal[:MOST_FORMAL], start=1)
        ],
        shadow=[
            RankedHit(place=place, hit=hit, bars=draw.bars(hit), outcome=NOT_SHOWN)
            for place, hit in enumerate(hits.shadow[:MOST_SHADOW], start=1)
        ],
        hidden_formal=max(0, len(hits.formal) - MOST_FORMAL),
        hidden_shadow=max(0, len(hits.shadow) - MOST_SHADOW),
        verdict=_verdict(explanation, is_gate_on=is_gate_on),
        budget_chars=budget_chars,
    )


class _Scale:
    """The longest value of each kind among these hits and floors."""

    def __init__(self, hits: Sequence[Hit], *, ranking: Ranking, near: Nearness) -> None:
        self._floor = floor = ranking.hits.floor
        self._near = near
        self._tfidf = ranking.tfidf
        self._coverage = LONG_HOT_COVERAGE if ranking.hits.is_long else HOT_COVERAGE
        self._bm25 = max((hit.bm25 for hit in hits), default=1.0) * ROOM or 1.0
        self._evidence = max([floor, *(hit.evidence for hit in hits)]) * ROOM or 1.0
        meanings = [hit.meaning for hit in hits if hit.meaning is not None]
        self._fused = max([FUSED_FLOOR, *(meaning.fused for meaning in meanings)]) * ROOM
        self._convex = max((meaning.convex for meaning in meanings), default=1.0) * ROOM or 1.0
        self._rrf = max((meaning.rrf for meaning in meanings), default=1.0) * ROOM or 1.0

    def bars(self, hit: Hit) -> tuple[Bar, ...]:
        return (
            _bar("evidence", hit.evidence, longest=self._evidence, floor=self._floor),
            _bar("bm25", hit.bm25, longest=self._bm25),
            _bar("tfidf", self._tfidf[hit.document.rule_id], longest=1.0),
            _bar("coverage", hit.coverage, longest=1.0, floor=self._coverage),
            *self._by_meaning(hit),
        )

    def _by_meaning(self, hit: Hit) -> list[Bar]:
        """Nothing when the embed server was not asked; a rule that is not among the nearest has no known cosine."""
        answer, meaning = self._near.answer, hit.meaning
        if answer is None or meaning is None:
            return []
        bars = [
            _bar("fused", meaning.fused, longest=self._fused, floor=FUSED_FLOOR),
            _bar("convex", meaning.convex, longest=self._convex),
            _bar("rrf", meaning.rrf, longest=self._rrf),
        ]
        return bars if meaning.cosine is None else [_cosine_bar(meaning.cosine, answer), *bars]


def _cosine_bar(cosine: float, answer: DenseAnswer) -> Bar:
    """Its floors are lifts over what any rule has with such a prompt."""
    first, alone = (answer.offset + lift for lift in answer.floors)
    marks = (_share(first, 1.0), _share(alone, 1.0))
    return Bar(kind="cosine", value=cosine, width=_share(cosine, 1.0), marks=marks, is_passed=cosine >= first)


def _bar(kind: str, value: float, *, longest: float, floor: float | None = None) -> Bar:
    marks = () if floor is None else (_share(floor, longest),)
    is_passed = floor is None or value >= floor
    return Bar(kind=kind, value=value, width=_share(value, longest), marks=marks, is_passed=is_passed)


def _share(value: float, longest: float) -> float:
    return round(min(WIDTH, max(0.0, WIDTH * value / longest)), 2)


def _outcome(hit: Hit, shown: dict[str, str]) -> str:
    if hit.tier not in (Tier.HOT, Tier.WARM):
        return NOT_SHOWN
    return shown.get(hit.document.rule_id, CUT)


def _verdict(explanation: Explanation, *, is_gate_on: bool) -> str:
    """One word: blocks, off, nothing (no rule is HOT), cut, resting or harmless (the HOT rule may not block)."""
    if explanation.gate_rule is not None:
        return "blocks"
    hot = [hit.document for hit in explanation.ranking.hits.formal if hit.tier == Tier.HOT]
    if not hot:
        return "nothing"
    if not is_gate_on:
        return "off"
    return "cut" if _any_gates(hot) else "harmless"


def _any_gates(documents: Iterable[Document]) -> bool:
    return any(may_gate(document) for document in documents)
