"""How alike the words of two texts are: a figure to compare BM25 with, which no ranking goes by.

cosine = sum of u(t) * v(t) over the common terms / (length of u * length of v)
u(t), v(t) = (1 + ln count(t)) * idf(t)
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def tfidf_cosine(first: Mapping[str, int], second: Mapping[str, int], *, idf: Callable[[str], float]) -> float:
    """From 0, for texts without a common term, to 1; both are counts by term."""
    ours, theirs = (_weights(counts, idf) for counts in (first, second))
    lengths = _length(ours) * _length(theirs)
    return sum(weight * theirs.get(term, 0.0) for term, weight in ours.items()) / lengths if lengths else 0.0


def _weights(counts: Mapping[str, int], idf: Callable[[str], float]) -> dict[str, float]:
    return {term: (1 + log(count)) * idf(term) for term, count in counts.items()}


def _length(weights: Mapping[str, float]) -> float:
    return sqrt(sum(weight * weight for weight in weights.values()))
