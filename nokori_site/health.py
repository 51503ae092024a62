"""Every check there is, in the order in which to mend things: for the `health` command and the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import DatabaseError
from django.utils.translation import gettext as _

from nokori_site import (
    health_embedding,
    health_endpoints,
    health_hooks,
    health_lines,
    health_redis,
    health_registration,
    health_storage,
)
from nokori_site.finding import Finding, State
from nokori_site.settle import catch_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from nokori_site.config import Config
    from rules.disk import DataFolder


@dataclass(frozen=True)
class Check:
    """One look at one thing; name: of the finding that it could not be made."""

    name: str
    look: Callable[[], Iterable[Finding]]
    needs_database: bool = False

    def run(self) -> Iterator[Finding]:
        try:
            yield from self.look()
        except (OSError, DatabaseError) as error:
            yield Finding(self.name, State.FAIL, _("cannot be checked: %(error)s") % {"error": error})


def examine(folder: DataFolder, *, config: Config, now: datetime) -> list[Finding]:
    """Runs all checks, the notes of the hooks filed first. One that cannot be made is a finding itself."""
    database = list(health_storage.check_database())
    rows: tuple[Check, ...] = (
        Check("configuration", lambda: health_storage.check_config(config)),
        Check("data folder", lambda: health_storage.check_folder(folder)),
        Check("database", lambda: database),
        Check("notes", lambda: _file_notes_first(folder, now=now), needs_database=True),
        Check("config.json", lambda: health_storage.check_published_config(folder)),
        Check("rules.idx", health_storage.check_published_rules, needs_database=True),
        Check("stemmer", health_hooks.check_stemmer),
        Check("spool", lambda: health_hooks.check_spool(folder, now=now)),
        Check("registration", lambda: health_registration.check_registrations(folder, config=config)),
        Check("plugin", lambda: health_registration.check_plugin(folder, config=config)),
        Check("other hooks", lambda: _check_other_files(folder, config=config)),
        Check("hosts", health_hooks.check_hosts, needs_database=True),
        Check("jobs", health_hooks.check_jobs, needs_database=True),
        Check("calls", lambda: health_hooks.check_last_calls(folder), needs_database=True),
        Check("embed server", lambda: health_embedding.check_embedding(folder, config=config), needs_database=True),
        Check("endpoints", lambda: health_endpoints.check_endpoints(config)),
        Check("redis", lambda: health_redis.check_redis(config)),
        Check("deadline", lambda: health_hooks.check_deadlines(folder)),
        Check("failures", lambda: health_hooks.check_failures(now=now), needs_database=True),
    )
    is_database_fine = not has_failed(database)
    return [finding for check in rows if is_database_fine or not check.needs_database for finding in check.run()]


def has_failed(findings: Iterable[Finding]) -> bool:
    return worst(findings) is State.FAIL


def worst(findings: Iterable[Finding]) -> State:
    """The state that needs somebody most; OK of nothing."""
    order = list(State)
    return max((finding.state for finding in findings), key=order.index, default=State.OK)


def _file_notes_first(folder: DataFolder, *, now: datetime) -> Iterator[Finding]:
    catch_up(folder, now=now)
    yield from ()


def _check_other_files(folder: DataFolder, *, config: Config) -> Iterator[Finding]:
    also = sorted(health_registration.other_places(folder, config=config))
    yield from health_lines.check_other_files(Path.cwd(), also=also)
