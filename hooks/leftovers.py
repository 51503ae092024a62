"""Files that hooks left and nobody will come back for: a kind of them and a data folder come in, the old ones go.

A file's age is taken from its time of change. One whose time lies in the future (the clock went back) stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rules.disk import remove_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.disk import DataFolder

HOUR_SECONDS = 3600
DAY_SECONDS = 24 * HOUR_SECONDS
CLAIM_AGE_SECONDS = DAY_SECONDS  # README "Maintenance"
SESSION_AGE_SECONDS = 60 * DAY_SECONDS  # README "Maintenance"
BAD_NOTE_AGE_SECONDS = 60 * DAY_SECONDS
TEMPORARY_AGE_SECONDS = HOUR_SECONDS  # a writer renames its file within seconds, or was killed
MARKER_GRACE_SECONDS = 60
ENDLESS_MARKER_AGE_SECONDS = SESSION_AGE_SECONDS  # with gate.ttl_seconds = 0


@dataclass(frozen=True, kw_only=True)
class Leftovers:
    """One kind of file: the folders of the data folder that hold it ("" is the root), and how long it may stay."""

    name: str
    folders: tuple[str, ...]
    age_seconds: int
    suffix: str = ""  # only files that end so


SESSION_FILES = Leftovers(name="session files", folders=("sessions",), age_seconds=SESSION_AGE_SECONDS)
CLAIMS = Leftovers(name="claims", folders=("hook_coalesce", "pending"), age_seconds=CLAIM_AGE_SECONDS)
BAD_NOTES = Leftovers(name="unreadable notes", folders=("spool/bad",), age_seconds=BAD_NOTE_AGE_SECONDS)
TEMPORARIES = Leftovers(  # what a killed writer left beside its target
    name="temporary files",
    folders=("", "published", "spool/new", "sessions", "gate_markers", "tombstones", "pending"),
    age_seconds=TEMPORARY_AGE_SECONDS,
    suffix=".tmp",
)


def markers(gate_ttl_seconds: int) -> Leftovers:
    """gate_ttl_seconds: 0 for markers that never expire."""
    age = gate_ttl_seconds + MARKER_GRACE_SECONDS if gate_ttl_seconds else ENDLESS_MARKER_AGE_SECONDS
    return Leftovers(name="markers", folders=("gate_markers",), age_seconds=age)


def remove_leftovers(kind: Leftovers, folder: DataFolder, *, now: float) -> int:
    """Returns how many files went. now: seconds since the epoch. Raises OSError when the disk refuses."""
    dead = [path for place in kind.folders for path in _old_files(Path(folder.root, place), kind, now=now)]
    return sum(remove_file(str(path)) for path in dead)


def _old_files(place: Path, kind: Leftovers, *, now: float) -> Iterator[Path]:
    """A file may vanish while it is looked at."""
    if not place.is_dir():
        return
    for path in place.iterdir():
        try:
            is_old = path.is_file() and now - path.stat().st_mtime > kind.age_seconds
        except FileNotFoundError:
            continue
        if is_old and path.name.endswith(kind.suffix):
            yield path
