"""The queue of jobs, worked off by one process at a time: lock, claim, pipeline, finish.

The lock is the operating system's, so it ends with its owner, however that ends. One bad job never stops the others; an
endpoint that fails several jobs in a row does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from extraction import jobs
from extraction.llm_errors import LlmError, LlmReplyEmpty, LlmReplyUnreadable
from extraction.log import pipeline_log
from extraction.merge import Merged
from extraction.models import ExtractJob, ExtractRun
from extraction.pipeline import Tools, run_job
from extraction.published import publish_transcripts
from extraction.transcript_file import TranscriptError
from rules.disk import PRIVATE_FILE, make_folder

if TYPE_CHECKING:
    from extraction.models import ExtractJobQuerySet
    from rules.disk import DataFolder

LOCK = "extract.lock"
MAX_FAILURES_IN_A_ROW = 3  # of the endpoint; the remaining jobs would only lose attempts
logger = logging.getLogger(__name__)


class ExtractRunning(Exception):
    """Another extraction is at work."""


@dataclass
class WorkReport:
    """What one run did. failures: each job's transcript and why it failed."""

    jobs: int = 0
    candidates: int = 0
    secrets: int = 0
    bad_lines: int = 0
    cut_turns: int = 0
    human_turns: int = 0
    merged: Merged = field(default_factory=Merged)
    failures: list[tuple[str, str]] = field(default_factory=list)
    is_cut_short: bool = False

    @property
    def applied(self) -> int:
        return self.merged.inserted + self.merged.confirmed + self.merged.superseded

    def as_record(self) -> dict[str, object]:
        return asdict(self) | {"applied": self.applied}


@contextmanager
def extract_lock(folder: DataFolder) -> Iterator[None]:
    """Raises ExtractRunning when another process holds it."""
    make_folder(folder.root)
    try:
        with FileLock(folder.path(LOCK), timeout=0, mode=PRIVATE_FILE):
            yield
    except Timeout as error:
        raise ExtractRunning("extract already running") from error


def is_extracting(folder: DataFolder) -> bool:
    try:
        with extract_lock(folder):
            return False
    except ExtractRunning:
        return True


def work_off(
    queue: ExtractJobQuerySet,
    *,
    folder: DataFolder,
    tools: Tools,
    log_level: str,
    run: ExtractRun,
    on_job: Callable[[ExtractJob], object] = lambda _: None,
) -> WorkReport:
    """Works the queue's waiting jobs off, each once in a run. Only who holds the extract lock may call it."""
    report = WorkReport()
    with pipeline_log(folder, level=log_level) as log:
        failures_in_a_row = 0
        while (job := jobs.claim_next(queue, run=run, now=tools.clock())) is not None:
            log.session_id = job.session_id or "-"
            on_job(job)
            is_endpoints_fault = _work_on(job, tools, report)
            failures_in_a_row = failures_in_a_row + 1 if is_endpoints_fault else 0
            if failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
                report.is_cut_short = True
                break
    publish_transcripts(folder)
    run.finished_at = tools.clock()
    run.summary = report.as_record()
    run.save(update_fields=["finished_at", "summary"])
    return report


def _work_on(job: ExtractJob, tools: Tools, report: WorkReport) -> bool:
    """Whether the job failed because the endpoint does not answer as it should."""
    report.jobs += 1
    try:
        report.merged += run_job(job, tools)
    except TranscriptError as error:
        jobs.park(job, str(error), now=tools.clock())
        _note_failure(job, str(error), report)
        return False
    except LlmError as error:
        jobs.release_failed(job, str(error), now=tools.clock())
        _note_failure(job, str(error), report)
        return not isinstance(error, (LlmReplyEmpty, LlmReplyUnreadable))
    except Exception as error:  # noqa: BLE001  one bad job must not keep the others waiting for ever
        message = f"{type(error).__name__}: {error}"
        jobs.release_failed(job, message, now=tools.clock())
        _note_failure(job, message, report)
        return False
    finally:
        _count(job, report)
    return False


def _note_failure(job: ExtractJob, message: str, report: WorkReport) -> None:
    report.failures.append((job.transcript_path, message))
    logger.warning("job %d, attempt %d, is %s: %s", job.pk, job.attempts, job.status, message)


def _count(job: ExtractJob, report: WorkReport) -> None:
    report.candidates += job.counts.get("candidates", 0)
    report.secrets += job.counts.get("secrets", 0)
    report.bad_lines += job.counts.get("bad_lines", 0)
    report.cut_turns += job.counts.get("cut_turns", 0)
    report.human_turns += job.counts.get("human_turns", 0)
