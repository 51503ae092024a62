"""Rows with a moment `at` > how many there were in which local hour, by one of their words.

The database counts; it gives short pieces of time as text, for that takes a twentieth of calling its date functions.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import CharField, Count
from django.db.models.functions import Cast, Substr
from django.utils.timezone import localtime

if TYPE_CHECKING:
    from django.db.models import QuerySet

HOUR_WIDTH = len("2026-11-30 10")
TEN_MINUTES_WIDTH = len("2026-11-30 10:3")  # for time zones that are not whole hours from Greenwich
HOUR = timedelta(hours=1)


class HourlyKey(NamedTuple):
    """The beginning of a local hour, and a word such as `hot`."""

    hour: datetime
    word: str


def count_hourly(rows: QuerySet[Any], *, by: str, since: datetime) -> Counter[HourlyKey]:
    """Any: rows of every model that has `at` and the column `by`."""
    width = TEN_MINUTES_WIDTH if _is_between_hours(since) else HOUR_WIDTH
    piece = Substr(Cast("at", CharField()), 1, width)
    found = rows.filter(at__gte=since).order_by().values_list(piece, by).annotate(Count("pk"))
    counts: Counter[HourlyKey] = Counter()
    for text, word, number in found:
        counts[HourlyKey(_local_hour(text), word)] += number
    return counts


def _local_hour(text: str) -> datetime:
    minutes = "0" if len(text) > HOUR_WIDTH else ":00"
    moment = datetime.fromisoformat(f"{text}{minutes}").replace(tzinfo=UTC)
    return localtime(moment).replace(minute=0)


def _is_between_hours(moment: datetime) -> bool:
    offset = localtime(moment).utcoffset() or timedelta()
    return bool(offset % HOUR)
