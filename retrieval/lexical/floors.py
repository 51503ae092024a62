"""The quantile of what off-topic prompts reach by accident, as a floor."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.lexical.results import Floors

SHORT_QUANTILE = 0.95  # a third of the prompts are everyday work close to any rule
LONG_QUANTILE = 0.975  # a long paste gets no help from concepts, and has many chances
MIN_FLOOR = 1.5  # two words that one text in ten holds are no evidence, however few rules there are


def best_needed(count: int, *, quantile: float) -> int:
    """How many of `count` values must be known, counted from the best, to tell the quantile."""
    return int((count - 1) * (1 - quantile)) + 2


def floor_above(best: Sequence[float], *, count: int, quantile: float) -> float:
    """The quantile of `count` values, in proportion between neighbours, given the best of them in descending order."""
    if not best:
        return MIN_FLOOR
    place = (count - 1) * (1 - quantile)
    above = int(place)
    upper, lower = best[above], best[min(above + 1, len(best) - 1)]
    return max(MIN_FLOOR, upper + (lower - upper) * (place - above))


def floor_for(floors: Floors, *, is_long: bool) -> float:
    return floors.long if is_long else floors.short
