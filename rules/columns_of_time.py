"""Rows with a moment `at` > how many there were in each of some stretches of time, by one of their words.

Stretches follow one another: each bound begins one, the last one goes on for ever. Large tables are counted by the
database, one look at an index for each stretch; of small ones the moments are read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Q, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from django.db.models import QuerySet


def count_in_database(
    rows: QuerySet[Any], *, by: str, words: Sequence[str], bounds: Sequence[datetime]
) -> list[Counter[str]]:
    """Any: rows of every model that has `at` and the column `by`. Only these words are counted."""
    counts = {f"number_{place}": Count("pk", filter=Q(**{by: word})) for place, word in enumerate(words)}
    ends = [*bounds[1:], None]
    pieces = [
        _between(rows, start, end).values_list(Value(place)).annotate(**counts)
        for place, (start, end) in enumerate(zip(bounds, ends, strict=True))
    ]
    columns = [Counter[str]() for _ in bounds]
    for place, *numbers in pieces[0].union(*pieces[1:], all=True):
        columns[place].update(dict(zip(words, numbers, strict=True)))
    return columns


def count_moments(moments: Iterable[tuple[datetime, str]], bounds: Sequence[datetime]) -> list[Counter[str]]:
    """What comes before the first bound is not counted."""
    columns = [Counter[str]() for _ in bounds]
    for moment, word in moments:
        place = bisect_right(bounds, moment) - 1
        if place >= 0:
            columns[place][word] += 1
    return columns


def _between(rows: QuerySet[Any], start: datetime, end: datetime | None) -> QuerySet[Any]:
    rows = rows.filter(at__gte=start).order_by()
    return rows if end is None else rows.filter(at__lt=end)
