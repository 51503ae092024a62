"""Checks of what Nokori keeps: settings, data folder, database, published files, spool."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import DatabaseError, connection

from nokori_site.config import is_config_fresh
from nokori_site.database import DatabaseRefused, prepare_database, sqlite_file
from nokori_site.finding import Finding, State
from retrieval.publish import published_state
from rules.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nokori_site.config import Config
    from rules.disk import DataFolder

MEGABYTE = 1_000_000
LITTLE_SPACE_BYTES = 200 * MEGABYTE
NO_SPACE_BYTES = 5 * MEGABYTE
LARGE_WAL_BYTES = 64 * MEGABYTE  # SQLite truncates it at 4 MB unless a reader holds on
OTHERS = 0o077  # mode bits of group and world


def check_config(config: Config) -> Iterator[Finding]:
    for problem in config.problems:
        if problem in config.unknown:
            yield Finding("configuration", State.WARN, problem, "Correct its name, or take it out: it changes nothing.")
        else:
            yield Finding("configuration", State.FAIL, problem, "Correct it; until then the default holds.")
    if not config.problems:
        yield Finding("configuration", State.OK, "config.toml and the environment are as they should be")
    if config.disabled:
        yield Finding("switch", State.WARN, "Nokori is switched off", "Take NOKORI_DISABLED or `disabled` away.")


def check_folder(folder: DataFolder) -> Iterator[Finding]:
    root = Path(folder.root)
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        yield Finding(
            "data folder",
            State.FAIL,
            f"{root} cannot be written",
            "Give yourself the right to, or set NOKORI_DATA_DIR.",
        )
        return
    open_to_others = [path.name or str(path) for path in _private_paths(folder) if _is_open_to_others(path)]
    if open_to_others:
        remedy = f"Run: chmod -R go= {root}"
        yield Finding("data folder", State.WARN, f"{', '.join(open_to_others)} can be read by others", remedy)
    else:
        yield Finding("data folder", State.OK, f"{root}, for you alone")
    yield _check_space(root)


def check_database() -> Iterator[Finding]:
    """Opens the database, creating and migrating it like any other verb."""
    try:
        prepare_database()
        verdict = _quick_check()
    except DatabaseRefused as refused:
        yield Finding("database", State.FAIL, str(refused))
    except (DatabaseError, OSError) as error:
        yield Finding(
            "database",
            State.FAIL,
            str(error),
            "Restore rules.db from a copy, or `import` your last export into a new one.",
        )
    else:
        if verdict != "ok":
            yield Finding(
                "database",
                State.FAIL,
                f"damaged: {verdict}",
                "Export what can be read, then `import` it into a new one.",
            )
        yield from _check_size()


def check_published_config(folder: DataFolder) -> Iterator[Finding]:
    if is_config_fresh(folder):
        yield Finding("config.json", State.OK, "hooks see what config.toml says")
    else:
        yield Finding("config.json", State.WARN, "hooks do not see what config.toml says now", "Run: manage.py settle")


def check_published_rules() -> Iterator[Finding]:
    state = published_state()
    if state.problem:
        yield Finding("rules.idx", State.FAIL, f"hooks find no rule: {state.problem}", "Run: manage.py settle")
    elif not state.is_fresh:
        yield Finding("rules.idx", State.WARN, "hooks do not see the latest change of a rule", "Run: manage.py settle")
    else:
        detail = f"{counted(state.rules, 'rule')} for the hooks, {state.delta_size} changed since the last full writing"
        yield Finding("rules.idx", State.OK, detail)


def _private_paths(folder: DataFolder) -> list[Path]:
    return [Path(path) for path in (folder.root, folder.config_toml, folder.database, folder.secret_key)]


def _is_open_to_others(path: Path) -> bool:
    """Windows has no such bits: there the folder's own access list counts."""
    return os.name == "posix" and path.exists() and bool(stat.S_IMODE(path.stat().st_mode) & OTHERS)


def _check_space(root: Path) -> Finding:
    free = shutil.disk_usage(root).free
    detail = f"{free // MEGABYTE:,} MB free"
    if free < NO_SPACE_BYTES:
        return Finding("disk", State.FAIL, detail, "Make room: notes of the hooks are being lost.")
    if free < LITTLE_SPACE_BYTES:
        return Finding("disk", State.WARN, detail, "Make room before notes of the hooks are lost.")
    return Finding("disk", State.OK, detail)


def _quick_check() -> str:
    if connection.vendor != "sqlite":
        return "ok"
    with connection.cursor() as cursor:
        return str(cursor.execute("PRAGMA quick_check(1)").fetchone()[0])


def _check_size() -> Iterator[Finding]:
    path = sqlite_file()
    if path is None:
        yield Finding("database", State.OK, f"{connection.vendor} answers")
        return
    wal = path.with_name(path.name + "-wal")
    wal_bytes = wal.stat().st_size if wal.exists() else 0
    sizes = f"{path.stat().st_size / MEGABYTE:.1f} MB, write-ahead log {wal_bytes / MEGABYTE:.1f} MB"
    if wal_bytes > LARGE_WAL_BYTES:
        yield Finding(
            "database", State.WARN, sizes, "A program keeps the database open: close it, then run: manage.py settle"
        )
    else:
        yield Finding("database", State.OK, sizes)
