"""How good one ranking is, from 0 to 1: ids best first, and the grades of those that are relevant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

RANKED = 10  # places that count for nDCG
RECALLED = 5  # places that count for recall


def ndcg(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    """Of the first RANKED places; a grade g gains 2 ** g - 1."""
    ideal = _discounted(sorted(grades.values(), reverse=True))
    return _discounted([grades.get(document, 0) for document in ranking]) / ideal if ideal else 0.0


def recall(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    wanted = {document for document, grade in grades.items() if grade > 0}
    return len(wanted.intersection(ranking[:RECALLED])) / min(len(wanted), RECALLED) if wanted else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    places = (place for place, document in enumerate(ranking, start=1) if grades.get(document, 0) > 0)
    return 1 / next(places, math.inf)


def hit_at_one(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    return float(bool(ranking) and grades.get(ranking[0], 0) > 0)


def _discounted(gains: Sequence[float]) -> float:
    return sum((2**gain - 1) / math.log2(place + 1) for place, gain in enumerate(gains[:RANKED], start=1))
