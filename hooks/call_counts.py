"""How often each hook ran and how long it took: milliseconds of notes and bytes of stamps > HookCall rows.

A stamp file grows by one byte with each call of its event. It is set aside before it is counted, so that a byte that
comes meanwhile lands in the next file; what was set aside counts once, even when counting was cut off.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from django.db import transaction
from django.utils.timezone import localdate

from hooks.hot.client import EVENTS
from hooks.latency import add_buckets, bucket_number
from hooks.models import ANY_HOST, FiledNote, HookCall
from rules.disk import PRIVATE_FILE, remove_file

if TYPE_CHECKING:
    from datetime import date

    from rules.disk import DataFolder

ASIDE = ".counting-"  # EVENT.counting-UNIQUE is a stamp file that no hook writes to any more
UNKNOWN_HOST = "unknown"


@dataclass(frozen=True)
class CallKey:
    day: date
    event: str
    host: str


@dataclass
class CallTally:
    """What is to be added to one row. Buckets as in hooks.latency; none for calls that were not timed."""

    last_at: datetime
    calls: int = 0
    total_ms: float = 0.0
    slowest_ms: float = 0.0
    buckets: list[int] = field(default_factory=list)


class CallCounts:
    """Calls added up in memory, and then into their rows, with as few queries as there are of them."""

    def __init__(self) -> None:
        self._tallies: dict[CallKey, CallTally] = {}

    def add(self, key: CallKey, *, calls: int, last_at: datetime) -> None:
        tally = self._tally(key, last_at=last_at)
        tally.calls += calls

    def add_timed(self, key: CallKey, *, ms: float, at: datetime) -> None:
        tally = self._tally(key, last_at=at)
        tally.calls += 1
        tally.total_ms += ms
        tally.slowest_ms = max(tally.slowest_ms, ms)
        tally.buckets = add_buckets(tally.buckets, [0] * bucket_number(ms) + [1])

    def save(self) -> None:
        """Inside a transaction, for it reads before it writes."""
        days = {key.day for key in self._tallies}
        known = HookCall.objects.select_for_update().filter(day__in=days)
        rows = {CallKey(row.day, row.event, row.host): row for row in known}
        changed = [_added_up(rows.get(key), key, tally=tally) for key, tally in self._tallies.items()]
        HookCall.objects.bulk_create(
            changed,
            update_conflicts=True,
            unique_fields=["day", "event", "host"],
            update_fields=["calls", "total_ms", "slowest_ms", "buckets", "last_at"],
        )

    def _tally(self, key: CallKey, *, last_at: datetime) -> CallTally:
        tally = self._tallies.setdefault(key, CallTally(last_at=last_at))
        tally.last_at = max(tally.last_at, last_at)
        return tally


def set_stamps_aside(folder: DataFolder) -> None:
    """Takes the stamp files out of the hooks' way; an empty one with the same time stays, for it tells the last call."""
    for event in EVENTS:
        stamp = Path(folder.stamps, event)
        try:
            status = stamp.stat()
            if status.st_size:
                stamp.rename(stamp.with_name(f"{event}{ASIDE}{uuid4().hex}"))
                _leave_empty(stamp, status)
        except OSError:  # none yet, or a hook has it open and this is Windows: next time
            continue


def count_stamps(folder: DataFolder, *, now: datetime) -> int:
    """Adds what was set aside to the rows that know no host; tells how many calls that were."""
    asides = sorted(Path(folder.stamps).glob(f"*{ASIDE}*"))
    return sum(_count_aside(aside, now=now) for aside in asides)


def _count_aside(aside: Path, *, now: datetime) -> int:
    status = aside.stat()
    last_at = datetime.fromtimestamp(status.st_mtime, UTC)
    with transaction.atomic():
        _, is_new = FiledNote.objects.get_or_create(note_id=aside.name, defaults={"filed_at": now})
        if is_new:
            counts = CallCounts()
            key = CallKey(localdate(last_at), aside.name.partition(ASIDE)[0], ANY_HOST)
            counts.add(key, calls=status.st_size, last_at=last_at)
            counts.save()
    remove_file(str(aside))
    return status.st_size if is_new else 0


def _leave_empty(stamp: Path, status: os.stat_result) -> None:
    """A hook that was quicker has left a newer one."""
    try:
        stamp.touch(mode=PRIVATE_FILE, exist_ok=False)
    except FileExistsError:
        return
    os.utime(stamp, ns=(status.st_atime_ns, status.st_mtime_ns))


def _added_up(row: HookCall | None, key: CallKey, *, tally: CallTally) -> HookCall:
    row = row or HookCall(day=key.day, event=key.event, host=key.host, last_at=tally.last_at)
    row.calls += tally.calls
    row.total_ms += tally.total_ms
    row.slowest_ms = max(row.slowest_ms, tally.slowest_ms)
    row.buckets = add_buckets(row.buckets, tally.buckets) if tally.buckets else row.buckets
    row.last_at = max(row.last_at, tally.last_at)
    return row
