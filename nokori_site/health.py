"""Every check there is, in the order in which to mend things: for the `health` command and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import DatabaseError

from nokori_site import health_hooks, health_storage
from nokori_site.finding import Finding, State
from nokori_site.settle import catch_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from nokori_site.config import Config
    from rules.disk import DataFolder


def examine(folder: DataFolder, *, config: Config, now: datetime) -> list[Finding]:
    """Runs all checks, the notes of the hooks filed first. One that cannot be made is a finding itself."""
    database = list(health_storage.check_database())
    is_database_fine = all(finding.state is not State.FAIL for finding in database)
    checks: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
        ("configuration", lambda: health_storage.check_config(config)),
        ("data folder", lambda: health_storage.check_folder(folder)),
        ("database", lambda: database),
        ("published", lambda: health_storage.check_published_config(folder)),
        ("stemmer", health_hooks.check_stemmer),
        ("spool", lambda: health_hooks.check_spool(folder, now=now)),
        ("registration", lambda: health_hooks.check_registration(config)),
        ("deadline", lambda: health_hooks.check_deadlines(folder)),
    ]
    if is_database_fine:
        checks.insert(3, ("notes", lambda: _file_notes_first(folder, now=now)))
        checks += [
            ("hooks", lambda: health_hooks.check_last_calls(folder)),
            ("failures", lambda: health_hooks.check_failures(now=now)),
        ]
    return [finding for name, check in checks for finding in _guarded(name, check)]


def has_failed(findings: Iterable[Finding]) -> bool:
    return any(finding.state is State.FAIL for finding in findings)


def _guarded(name: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    try:
        yield from check()
    except (OSError, DatabaseError) as error:
        yield Finding(name, State.FAIL, f"cannot be checked: {error}")


def _file_notes_first(folder: DataFolder, *, now: datetime) -> Iterator[Finding]:
    catch_up(folder, now=now)
    yield from ()
