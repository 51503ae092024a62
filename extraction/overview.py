"""What the Extract page shows: progress, a page of jobs, how far transcripts are read, the latest runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING

from django.db.models import F

from extraction.models import ExtractJob, ExtractRun, TranscriptState
from extraction.progress import Progress, ReadTranscript, look_at_progress, read_transcript
from rules.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_TRANSCRIPTS = 12
MOST_RUNS = 6
APPLIED = ("inserted", "confirmed", "superseded")


@dataclass(frozen=True, kw_only=True)
class JobRow:
    """A job as a row: the name of its file apart from the folder, and what came of it (None: not read yet)."""

    job: ExtractJob
    file: str
    folder: str
    error: str
    candidates: int | None
    applied: int
    can_retry: bool


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run as a row; took is None while it has not ended."""

    run: ExtractRun
    took: timedelta | None
    jobs: int
    candidates: int
    applied: int
    failures: int
    is_cut_short: bool


@dataclass(frozen=True, kw_only=True)
class ExtractOverview:
    """`transcripts` are those read last."""

    progress: Progress
    transcripts: list[ReadTranscript]
    transcript_count: int
    runs: list[RunRow]

    @property
    def given_up(self) -> int:
        return sum(self.progress.jobs[status] for status in ExtractJob.GIVEN_UP)

    @property
    def total(self) -> int:
        return sum(self.progress.jobs.values())


def look_over_extraction() -> ExtractOverview:
    states = TranscriptState.objects.order_by("-extracted_at", "-pk")
    return ExtractOverview(
        progress=look_at_progress(),
        transcripts=[read_transcript(state) for state in states[:MOST_TRANSCRIPTS]],
        transcript_count=states.count(),
        runs=[_run_row(run) for run in ExtractRun.objects.order_by(F("started_at").desc(), "-pk")[:MOST_RUNS]],
    )


def job_rows(jobs: Iterable[ExtractJob]) -> list[JobRow]:
    return [_job_row(job) for job in jobs]


def _job_row(job: ExtractJob) -> JobRow:
    path = PurePath(job.transcript_path)
    applied = job.counts.get("applied", {})
    return JobRow(
        job=job,
        file=path.name or job.transcript_path,
        folder=str(path.parent),
        error=redact(job.last_error).text,
        candidates=job.counts.get("candidates"),
        applied=sum(applied.get(name, 0) for name in APPLIED),
        can_retry=job.status in ExtractJob.GIVEN_UP,
    )


def _run_row(run: ExtractRun) -> RunRow:
    told = run.summary
    return RunRow(
        run=run,
        took=run.finished_at - run.started_at if run.finished_at else None,
        jobs=told.get("jobs", 0),
        candidates=told.get("candidates", 0),
        applied=told.get("applied", 0),
        failures=len(told.get("failures", [])),
        is_cut_short=bool(told.get("is_cut_short")),
    )
