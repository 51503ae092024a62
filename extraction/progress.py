"""How far extraction is, from the rows alone: looking at the lock could keep an extractor from taking it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from extraction.models import ExtractJob, ExtractRun

if TYPE_CHECKING:
    from extraction.models import TranscriptState

Status = ExtractJob.Status


@dataclass(frozen=True, kw_only=True)
class Progress:
    """`jobs` counts by state; `done` of `total` are the jobs of the run at work."""

    jobs: dict[str, int]
    working_on: str
    done: int
    total: int

    @property
    def is_running(self) -> bool:
        return bool(self.jobs[Status.RUNNING])

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


@dataclass(frozen=True, kw_only=True)
class ReadTranscript:
    """A transcript and how far it is extracted; `size` is None when the file is gone."""

    transcript_path: str
    offset: int
    size: int | None
    mtime: float
    extracted_at: datetime

    @property
    def file(self) -> str:
        return PurePath(self.transcript_path).name or self.transcript_path

    @property
    def changed_at(self) -> datetime | None:
        """When the file was changed last before it was read."""
        return datetime.fromtimestamp(self.mtime, UTC) if self.mtime else None

    @property
    def share(self) -> int:
        """Of the bytes that are there, in per cent."""
        return min(100, round(100 * self.offset / self.size)) if self.size else 100


def look_at_progress() -> Progress:
    jobs = {status.value: 0 for status in Status} | dict(ExtractJob.objects.counted_by_status())
    job = ExtractJob.objects.filter(status=Status.RUNNING).order_by("-updated_at").first()
    run = job.run if job else ExtractRun.objects.filter(finished_at=None).order_by("-started_at").first()
    had = run.jobs.exclude(status__in=[Status.PENDING, Status.RUNNING]).count() if run and job else 0
    waiting = jobs[Status.PENDING] + jobs[Status.RUNNING] if job else 0
    return Progress(jobs=jobs, working_on=job.transcript_path if job else "", done=had, total=had + waiting)


def read_transcript(state: TranscriptState) -> ReadTranscript:
    return ReadTranscript(
        transcript_path=state.transcript_path,
        offset=state.offset,
        size=_size(state.transcript_path),
        mtime=state.mtime,
        extracted_at=state.extracted_at,
    )


def _size(path: str) -> int | None:
    try:
        return Path(path).expanduser().stat().st_size
    except (OSError, ValueError, RuntimeError):
        return None
