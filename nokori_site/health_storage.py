"""Checks of what Nokori keeps: settings, data folder, database, published files, spool."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import DatabaseError, connection
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from nokori_site.config import is_config_fresh
from nokori_site.database import DatabaseRefused, prepare_database, sqlite_file
from nokori_site.finding import Finding, State
from nokori_site.remedies import run
from retrieval.publish import published_state

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
            yield Finding(
                "configuration", State.WARN, problem, _("Correct its name, or take it out: it changes nothing.")
            )
        else:
            yield Finding("configuration", State.FAIL, problem, _("Correct it; until then the default holds."))
    if not config.problems:
        yield Finding("configuration", State.OK, _("config.toml and the environment are as they should be"))
    if config.disabled:
        yield Finding("switch", State.WARN, _("Nokori is switched off"), _("Take NOKORI_DISABLED or `disabled` away."))


def check_folder(folder: DataFolder) -> Iterator[Finding]:
    root = Path(folder.root)
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        yield Finding(
            "data folder",
            State.FAIL,
            _("%(folder)s cannot be written") % {"folder": root},
            _("Give yourself the right to, or set NOKORI_DATA_DIR."),
        )
        return
    open_to_others = [path.name or str(path) for path in _private_paths(folder) if _is_open_to_others(path)]
    if open_to_others:
        detail = _("%(names)s can be read by others") % {"names": ", ".join(open_to_others)}
        yield Finding("data folder", State.WARN, detail, run(f"chmod -R go= {root}"))
    else:
        yield Finding("data folder", State.OK, _("%(folder)s, for you alone") % {"folder": root})
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
            _("Restore rules.db from a copy, or `import` your last export into a new one."),
        )
    else:
        if verdict != "ok":
            yield Finding(
                "database",
                State.FAIL,
                _("damaged: %(verdict)s") % {"verdict": verdict},
                _("Export what can be read, then `import` it into a new one."),
            )
        yield from _check_size()


def check_published_config(folder: DataFolder) -> Iterator[Finding]:
    if is_config_fresh(folder):
        yield Finding("config.json", State.OK, _("hooks see what config.toml says"))
    else:
        detail = _("hooks do not see what config.toml says now")
        yield Finding("config.json", State.WARN, detail, run("manage.py settle"))


def check_published_rules() -> Iterator[Finding]:
    state = published_state()
    if state.problem:
        detail = _("hooks find no rule: %(problem)s") % {"problem": state.problem}
        yield Finding("rules.idx", State.FAIL, detail, run("manage.py settle"))
    elif not state.is_fresh:
        detail = _("hooks do not see the latest change of a rule")
        yield Finding("rules.idx", State.WARN, detail, run("manage.py settle"))
    else:
        rules = ngettext("%(count)d rule", "%(count)d rules", state.rules) % {"count": state.rules}
        facts = {"rules": rules, "changed": state.delta_size}
        detail = _("%(rules)s for the hooks, %(changed)d changed since the last full writing") % facts
        yield Finding("rules.idx", State.OK, detail)


def _private_paths(folder: DataFolder) -> list[Path]:
    return [Path(path) for path in (folder.root, folder.config_toml, folder.database, folder.secret_key)]


def _is_open_to_others(path: Path) -> bool:
    """Windows has no such bits: there the folder's own access list counts."""
    return os.name == "posix" and path.exists() and bool(stat.S_IMODE(path.stat().st_mode) & OTHERS)


def _check_space(root: Path) -> Finding:
    free = shutil.disk_usage(root).free
    detail = _("%(size)s MB free") % {"size": f"{free // MEGABYTE:,}"}
    if free < NO_SPACE_BYTES:
        return Finding("disk", State.FAIL, detail, _("Make room: notes of the hooks are being lost."))
    if free < LITTLE_SPACE_BYTES:
        return Finding("disk", State.WARN, detail, _("Make room before notes of the hooks are lost."))
    return Finding("disk", State.OK, detail)


def _quick_check() -> str:
    if connection.vendor != "sqlite":
        return "ok"
    with connection.cursor() as cursor:
        return str(cursor.execute("PRAGMA quick_check(1)").fetchone()[0])


def _check_size() -> Iterator[Finding]:
    path = sqlite_file()
    if path is None:
        yield Finding("database", State.OK, _("%(server)s answers") % {"server": connection.vendor})
        return
    wal = path.with_name(path.name + "-wal")
    wal_bytes = wal.stat().st_size if wal.exists() else 0
    megabytes = {"file": path.stat().st_size / MEGABYTE, "log": wal_bytes / MEGABYTE}
    sizes = _("%(file).1f MB, write-ahead log %(log).1f MB") % megabytes
    if wal_bytes > LARGE_WAL_BYTES:
        remedy = _("A program keeps the database open: close it, then run: manage.py settle")
        yield Finding("database", State.WARN, sizes, remedy)
    else:
        yield Finding("database", State.OK, sizes)
