"""Files that hooks left and nobody will come back for: a data folder comes in, the dead ones of it go.

A file's age is taken from its time of change. One whose time lies in the future (the clock went back) stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rules.disk import remove_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.disk import DataFolder

HOUR_SECONDS = 3600
DAY_SECONDS = 24 * HOUR_SECONDS
TEMPORARY_AGE_SECONDS = HOUR_SECONDS  # a writer renames its file within seconds, or was killed
CLAIM_AGE_SECONDS = DAY_SECONDS
SESSION_AGE_SECONDS = 60 * DAY_SECONDS
MARKER_GRACE_SECONDS = 60
ENDLESS_MARKER_AGE_SECONDS = SESSION_AGE_SECONDS  # with gate.ttl_seconds = 0


def remove_leftovers(folder: DataFolder, *, gate_ttl_seconds: int, now: float) -> int:
    """Returns how many files went. now: seconds since the epoch. Raises OSError when the disk refuses."""
    marker_age = gate_ttl_seconds + MARKER_GRACE_SECONDS if gate_ttl_seconds else ENDLESS_MARKER_AGE_SECONDS
    dead = [
        *_older(folder.gate_markers, marker_age, now=now),  # the fewer markers, the more tool calls stay cheap
        *_older(folder.coalesce, CLAIM_AGE_SECONDS, now=now),
        *_older(folder.sessions, SESSION_AGE_SECONDS, now=now),
        *_old_temporaries(folder, now=now),
    ]
    return sum(remove_file(str(path)) for path in dead)


def _old_temporaries(folder: DataFolder, *, now: float) -> Iterator[Path]:
    """What a killed writer left beside its target."""
    for place in (
        folder.root,
        folder.published,
        folder.spool_new,
        folder.sessions,
        folder.gate_markers,
        folder.tombstones,
    ):
        yield from (path for path in _older(place, TEMPORARY_AGE_SECONDS, now=now) if path.suffix == ".tmp")


def _older(place: str, seconds: float, *, now: float) -> Iterator[Path]:
    """The files in one folder that are older; a file may vanish while it is looked at."""
    folder = Path(place)
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        try:
            is_old = path.is_file() and now - path.stat().st_mtime > seconds
        except FileNotFoundError:
            continue
        if is_old:
            yield path
