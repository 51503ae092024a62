"""Everything that Nokori keeps goes: into a backup beside it, or for good. What it did not make stays where it is.

Nobody may be at work meanwhile: settle, filing, publishing and maintenance are locked out, or nothing happens.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import connections
from filelock import FileLock, Timeout

from nokori_site.database import DatabaseRefused
from rules.disk import PRIVATE_FILE, PRIVATE_FOLDER, is_foreign

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from rules.disk import DataFolder

BACKUPS = "backups"  # stays, with all that earlier resets put there
LOCK_SECONDS = 5.0
OURS = (  # in the order in which they go: without the published files hooks say nothing
    "published", "stamps", "spool", "sessions", "gate_markers", "hook_coalesce", "tombstones", "pending",
    "rules.db", "rules.db-wal", "rules.db-shm", "rules.db-journal",
    "embed.address", "embed.sock", "embed.record", "vectors",  # a server that finds its address gone ends by itself
    "config.toml", "guidelines", "models", "logs", "secret_key", "web_token",
)  # fmt: skip
KEPT = ("install.json", "plugin_program")  # tell of the hooks' registration, which a reset leaves as it is


class ResetRefused(Exception):
    """The data folder cannot be reset now."""


def reset(folder: DataFolder, *, now: datetime, keep_backup: bool) -> Path | None:
    """Returns the backup, None when there is none. Raises ResetRefused, DatabaseRefused for another program's folder, OSError."""
    _refuse_foreign(folder)
    if not any(_present(folder)):
        return None
    with ExitStack() as locks:
        _lock_everybody_out(folder, locks)
        connections.close_all()
        if keep_backup:
            return _move_aside(folder, now=now)
        _delete(folder)
    return None


def _refuse_foreign(folder: DataFolder) -> None:
    if is_foreign(folder):
        raise DatabaseRefused(
            f"{folder.database} was made by another program, and the folder stays as it is. "
            "Set NOKORI_DATA_DIR to a folder of Nokori's own."
        )


def _lock_everybody_out(folder: DataFolder, locks: ExitStack) -> None:
    for path in (folder.settle_lock, folder.maintenance_lock, folder.filing_lock, folder.publish_lock):
        try:
            locks.enter_context(FileLock(path, timeout=LOCK_SECONDS, mode=PRIVATE_FILE))
        except Timeout as error:
            raise ResetRefused(f"Another process is at work ({Path(path).stem}); try again in a moment.") from error


def _present(folder: DataFolder) -> Iterator[Path]:
    return (path for name in OURS if (path := Path(folder.root, name)).exists() or path.is_symlink())


def _move_aside(folder: DataFolder, *, now: datetime) -> Path:
    backup = Path(folder.root, BACKUPS, f"{now:%Y%m%dT%H%M%S}")
    backup.mkdir(mode=PRIVATE_FOLDER, parents=True)
    for path in _present(folder):
        path.rename(backup / path.name)
    return backup


def _delete(folder: DataFolder) -> None:
    for path in _present(folder):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
