"""Bytes > one new file in spool/new: written aside and renamed, so that a reader never sees half a note.

Names sort by time and are unique; a note's name is also its id. Needs no JSON, so the cheapest hooks can use it.
"""

from __future__ import annotations

import os

from rules.disk import write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rules.disk import DataFolder

SUFFIX = ".json"


def new_note_id(now: float) -> str:
    return f"{int(now * 1_000_000):016x}-{os.getpid():x}-{os.urandom(4).hex()}"


def deliver(folder: DataFolder, note_id: str, data: bytes) -> None:
    """Raises OSError when the disk does not take it."""
    write_atomic(os.path.join(folder.spool_new, note_id + SUFFIX), data)
