"""The spool's notes > rows, each exactly once, however often filing is cut off.

A note's rows and the row that says it is filed are one commit, and its file goes after that. Until then nothing is
lost; after it the id tells that nothing is to be done. A note that cannot be filed goes to spool/bad/ with a
HookFailure that says why, and never keeps another one waiting. When the database refuses, every note stays.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import DataError, IntegrityError, transaction
from filelock import FileLock, Timeout

from hooks.call_counts import count_stamps, set_stamps_aside
from hooks.ledger import Ledger
from hooks.models import NOTE_ID_LENGTH, FiledNote, HookFailure
from hooks.note_reader import MAX_NOTE_BYTES, MESSAGE_LIMIT, NoteRefused, read_note, storable
from hooks.tombstones import clear_tombstones
from rules.disk import PRIVATE_FILE, make_folder, remove_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from hooks.notes import Note
    from rules.disk import DataFolder

BATCH_NOTES = 200  # one transaction each: few enough to let other writers in between
LOCK_WAIT_SECONDS = 20.0
NOTE_SUFFIX = ".json"
EVENT = "filing"  # of the HookFailure rows made here


@dataclass
class FilingReport:
    """What became of the notes: filed now, put aside as bad, or skipped because they had been filed before.

    stuck: files that the disk did not let go; they are met again, and change nothing. is_busy: another process was
    filing all the while, and nothing was done here.
    """

    filed: int = 0
    bad: int = 0
    skipped: int = 0
    stuck: int = 0
    is_busy: bool = False


def file_notes(folder: DataFolder, *, now: datetime, wait_seconds: float = LOCK_WAIT_SECONDS) -> FilingReport:
    """Files what is in the spool now. Raises DatabaseError when the database refuses, OSError when the disk does."""
    report = FilingReport()
    if not _has_work(folder):
        return report
    try:
        with FileLock(folder.filing_lock, timeout=wait_seconds, mode=PRIVATE_FILE):
            set_stamps_aside(folder)
            for paths in _batches(_waiting(folder)):
                _file_batch(folder, paths, report=report, now=now)
            count_stamps(folder, now=now)
            clear_tombstones(folder, now=now)
    except Timeout:
        report.is_busy = True
    return report


def _has_work(folder: DataFolder) -> bool:
    return bool(_waiting(folder)) or any(Path(place).is_dir() for place in (folder.stamps, folder.tombstones))


def _waiting(folder: DataFolder) -> list[Path]:
    """The notes' files, oldest first."""
    try:
        return sorted(path for path in Path(folder.spool_new).iterdir() if path.suffix == NOTE_SUFFIX)
    except FileNotFoundError:
        return []


def _batches(paths: Iterable[Path]) -> Iterator[list[Path]]:
    remaining = iter(paths)
    while batch := list(islice(remaining, BATCH_NOTES)):
        yield batch


def _file_batch(folder: DataFolder, paths: list[Path], *, report: FilingReport, now: datetime) -> None:
    notes, refused = _read_all(paths)
    with transaction.atomic():
        fresh = _not_filed(notes)
        refused |= _enter_all(fresh, now=now)
        _note_refusals(refused, now=now)
    report.bad += len(refused)
    report.filed += len(fresh.keys() - refused.keys())
    report.skipped += len(notes) - len(fresh)
    for path in paths:
        report.stuck += not (_put_aside(folder, path) if path in refused else _drop(path))


def _read_all(paths: Iterable[Path]) -> tuple[dict[Path, Note], dict[Path, str]]:
    """The readable notes, and why each other file is none; one that has gone meanwhile is in neither."""
    notes: dict[Path, Note] = {}
    refused: dict[Path, str] = {}
    for path in paths:
        try:
            notes[path] = read_note(_read(path))
        except FileNotFoundError:
            continue
        except NoteRefused as reason:
            refused[path] = str(reason)
    return notes, refused


def _read(path: Path) -> bytes:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise NoteRefused("it is no plain file")
    if status.st_size > MAX_NOTE_BYTES:
        raise NoteRefused(f"it is larger than {MAX_NOTE_BYTES} bytes")
    try:
        return path.read_bytes()
    except PermissionError as error:
        raise NoteRefused(f"it cannot be read: {error.strerror}") from error


def _not_filed(notes: Mapping[Path, Note]) -> dict[Path, Note]:
    """The notes whose id was never filed, each id once."""
    ids = {note.id for note in notes.values()}
    filed = set(FiledNote.objects.filter(pk__in=ids).values_list("pk", flat=True))
    fresh: dict[str, Path] = {}
    for path, note in notes.items():
        if note.id not in filed:
            fresh.setdefault(note.id, path)
    return {path: notes[path] for path in fresh.values()}


def _enter_all(notes: Mapping[Path, Note], *, now: datetime) -> dict[Path, str]:
    """Writes the notes' rows, and tells why the others could not be written."""
    ledger = Ledger(tuple(notes.values()))
    refused: dict[Path, str] = {}
    for path, note in notes.items():
        try:
            ledger.enter(note)
        except (DataError, IntegrityError, ValueError) as error:
            refused[path] = f"it cannot be stored: {error}"
    ledger.close(now=now)
    return refused


def _note_refusals(refused: Mapping[Path, str], *, now: datetime) -> None:
    for path, reason in refused.items():
        HookFailure.objects.get_or_create(
            note_id=storable(f"bad:{path.name}", NOTE_ID_LENGTH),
            defaults={
                "event": EVENT,
                "error": NoteRefused.__name__,
                "message": storable(f"{path.name}: {reason}", MESSAGE_LIMIT),
                "at": now,
            },
        )


def _drop(path: Path) -> bool:
    """False when the disk does not let the file go."""
    try:
        remove_file(str(path))
    except OSError:
        return False
    return True


def _put_aside(folder: DataFolder, path: Path) -> bool:
    """Moves a file to spool/bad/ under a name that is free there; False when the disk does not let it."""
    target, number = Path(folder.spool_bad, path.name), 1
    while os.path.lexists(target):
        target = target.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    try:
        make_folder(folder.spool_bad)
        path.rename(target)
    except OSError:
        return False
    return True
