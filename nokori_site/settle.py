"""The housekeeping pass: spool notes become rows, due maintenance runs, what hooks read is published afresh.

One settle works at a time. It looks at the spool again after it has let go, so no note that came meanwhile is left
lying. A step that fails becomes a HookFailure and a line of logs/settle.log, and the other steps run.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from django.db import DatabaseError
from filelock import FileLock, Timeout

from extraction.published import publish_transcripts
from hooks.ended_sessions import end_abandoned_sessions, publish_ended_sessions
from hooks.filing import file_notes
from hooks.models import HookFailure
from nokori_site.config import publish_config
from nokori_site.database import claim_database, prepare_database
from nokori_site.embed_start import start_embed_server
from nokori_site.extraction_start import start_extraction
from nokori_site.logs import append_line
from nokori_site.maintenance import MaintenanceBusy, maintain
from retrieval.publish import is_stale, publish_changes, tidy
from rules.disk import PRIVATE_FILE, make_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from nokori_site.config import Config
    from rules.disk import DataFolder

EVENT = "settle"  # of its HookFailure rows and the name of its log
MAX_PASSES = 20  # beyond that notes come in faster than they are filed, and the next settle goes on
READER_PATIENCE_SECONDS = 5.0  # with another process that is filing
MAX_MESSAGE = 500  # characters; the column's limit


@dataclass(frozen=True)
class Problem:
    """A step that failed."""

    step: str
    error: Exception

    def __str__(self) -> str:
        return f"{self.step}: {type(self.error).__name__}: {self.error}"


class MaintenanceFailed(Exception):
    """A scan could not do its work."""


@dataclass
class SettleReport:
    """What the passes of one settle did, added up."""

    filed: int = 0
    bad: int = 0
    published: list[str] = field(default_factory=list)
    scans: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def __str__(self) -> str:
        published = ",".join(self.published) or "nothing"
        return f"filed={self.filed} bad={self.bad} published={published} scans={len(self.scans)}"


def settle(folder: DataFolder, *, config: Config, clock: Callable[[], datetime]) -> SettleReport | None:
    """Settles until the spool is empty; None when another settle is at work.

    Raises DatabaseRefused when the data folder is another program's, OSError when it cannot hold a lock.
    """
    claim_database()  # first of all: another program's folder gets not even a lock file
    make_folder(folder.root)
    lock = FileLock(folder.settle_lock, timeout=0, mode=PRIVATE_FILE)
    report = SettleReport()
    for number in range(MAX_PASSES):
        try:
            with lock:
                filed_before = report.filed
                _pass(folder, report, config=config, now=clock())
        except Timeout:
            return report if number else None
        if report.filed == filed_before or not _is_note_waiting(folder):
            break
    return report


def catch_up(folder: DataFolder, *, now: datetime) -> None:
    """Files the notes of the hooks and republishes what is stale: what a verb that reads wants before it reads."""
    file_notes(folder, now=now, wait_seconds=READER_PATIENCE_SECONDS)
    publish_config(folder)
    if is_stale():
        with suppress(Timeout):  # another process is publishing, and looks again before it ends
            publish_changes()


def _pass(folder: DataFolder, report: SettleReport, *, config: Config, now: datetime) -> None:
    problems = len(report.problems)
    is_ready = _attempt(report, "database", prepare_database)
    if is_ready:
        _attempt(report, "notes", lambda: _file_notes(folder, report, now=now))
        _attempt(report, "sessions", lambda: _end_sessions(folder, report, now=now))
        _attempt(report, "maintenance", lambda: _maintain(folder, report, config=config, now=now))
        _attempt(report, "rules", lambda: _publish_rules(report))
        _attempt(report, "transcripts", lambda: _publish_transcripts(folder, report))
        _attempt(report, "extraction", lambda: start_extraction(folder, config=config, now=now))
    _attempt(report, "config", lambda: _publish_config(folder, report))
    if is_ready:
        _attempt(report, "embed server", lambda: start_embed_server(folder, config=config, now=now))
    _write_down(report.problems[problems:], folder, now=now)


def _attempt(report: SettleReport, step: str, action: Callable[[], object]) -> bool:
    """Whether the step went well; when not, the report holds why."""
    try:
        action()
    except Exception as error:  # noqa: BLE001  a detached pass has nobody to tell, and the other steps matter too
        report.problems.append(Problem(step, error))
        return False
    return True


def _file_notes(folder: DataFolder, report: SettleReport, *, now: datetime) -> None:
    filing = file_notes(folder, now=now)
    report.filed += filing.filed
    report.bad += filing.bad


def _end_sessions(folder: DataFolder, report: SettleReport, *, now: datetime) -> None:
    end_abandoned_sessions(now=now)
    if publish_ended_sessions(folder):
        report.published.append("ended sessions")


def _publish_transcripts(folder: DataFolder, report: SettleReport) -> None:
    if publish_transcripts(folder):
        report.published.append("transcripts")


def _publish_rules(report: SettleReport) -> None:
    if tidy():
        report.published.append("rules")


def _publish_config(folder: DataFolder, report: SettleReport) -> None:
    if publish_config(folder):
        report.published.append("config")


def _maintain(folder: DataFolder, report: SettleReport, *, config: Config, now: datetime) -> None:
    """Runs what is due; another process that is at it does the same."""
    with suppress(MaintenanceBusy):
        scans = maintain(folder, config=config, now=now, only_due=True)
        report.scans += [scan.scan for scan in scans]
        report.problems += [Problem(scan.scan, MaintenanceFailed(scan.problem)) for scan in scans if scan.problem]


def _write_down(problems: list[Problem], folder: DataFolder, *, now: datetime) -> None:
    """A row for each problem, and a line in case there can be no row."""
    for problem in problems:
        with suppress(OSError):
            append_line(folder, EVENT, str(problem), level="ERROR", now=now)
        with suppress(DatabaseError):
            HookFailure.objects.create(
                event=EVENT,
                error=type(problem.error).__name__,
                message=f"{problem.step}: {problem.error}"[:MAX_MESSAGE],
                at=now,
                note_id=f"settle-{uuid4()}",
            )


def _is_note_waiting(folder: DataFolder) -> bool:
    spool = Path(folder.spool_new)
    return spool.is_dir() and any(path.suffix == ".json" for path in spool.iterdir())
