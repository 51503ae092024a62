"""Two ways scored on the same queries > how much better the one is, and how sure that is: a paired bootstrap."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 2_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Difference:
    """Of two means; the interval holds the middle 95 % of what other draws of the same queries give."""

    mean: float
    low: float
    high: float

    @property
    def is_certain(self) -> bool:
        return self.low > 0 or self.high < 0


def paired_difference(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> Difference:
    """Mean of first minus second; both have a score for each query, in the same order."""
    differences = [one - other for one, other in zip(first, second, strict=True)]
    if not differences:
        return Difference(0.0, 0.0, 0.0)
    draw = random.Random(seed)  # noqa: S311  no secret
    count = len(differences)
    means = sorted(sum(draw.choices(differences, k=count)) / count for _ in range(RESAMPLES))
    tail = int(RESAMPLES * (1 - CONFIDENCE) / 2)
    return Difference(sum(differences) / count, means[tail], means[-1 - tail])
