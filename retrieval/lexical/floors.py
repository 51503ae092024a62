"""The quantile that makes a floor: 99 of 100 off-topic prompts stay at or under it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.lexical.results import Floors

QUANTILE = 0.99  # 95 % lets a third of the unrelated prompts inject something in a pool of 200 rules


def best_of_quantile(count: int) -> int:
    """How many of `count` values must be known, counted from the best, to tell the quantile."""
    return int(count * (1 - QUANTILE)) + 2


def quantile(best: Sequence[float], *, count: int) -> float:
    """The quantile of `count` values, between neighbours in proportion, given the best of them in descending order."""
    if not best:
        return 0.0
    place = (count - 1) * (1 - QUANTILE)
    above = int(place)
    upper, lower = best[above], best[min(above + 1, len(best) - 1)]
    return upper + (lower - upper) * (place - above)


def floor_for(floors: Floors, *, is_long: bool) -> float:
    return floors.long if is_long else floors.short
