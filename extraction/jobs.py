"""The queue of transcripts to extract: a session end comes in, a pending job goes out. One note makes one job.

A job is tried MAX_ATTEMPTS times and then given up, visibly, until somebody says `retry`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from django.db.models import F
from django.utils.translation import gettext as _

from extraction.models import ExtractJob, ExtractRun

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from extraction.models import ExtractJobQuerySet

MAX_ATTEMPTS = 3  # README "On failure"
MAX_ERROR_CHARS = 500
LOST = "The run that worked on it ended without a word."


class JobUnknown(Exception):
    """No job has that number."""


class JobNotGivenUp(Exception):
    """A job that was not given up is in nobody's way."""


@dataclass(frozen=True)
class EndedSession:
    """A session that a host said has ended, and where its transcript lies."""

    note_id: str
    session_id: str
    transcript_path: str
    project_id: str = ""
    payload: Mapping[str, object] = field(default_factory=dict)


def enqueue(ended: EndedSession, *, now: datetime) -> ExtractJob:
    """The job of this end: a new pending one, or the one that the same note made before."""
    job, _ = ExtractJob.objects.get_or_create(
        note_id=ended.note_id,
        defaults={
            "session_id": ended.session_id,
            "transcript_path": ended.transcript_path,
            "project_id": ended.project_id,
            "payload": dict(ended.payload),
            "transcript_mtime": _mtime(ended.transcript_path),
            "created_at": now,
            "updated_at": now,
        },
    )
    return job


def enqueue_by_hand(path: str, *, project_id: str, now: datetime) -> ExtractJob:
    """The job for a transcript that somebody named: the one that waits already, else a new one."""
    waiting = ExtractJob.objects.waiting().filter(transcript_path=path).first()
    if waiting is None:
        known = ExtractJob.objects.filter(transcript_path=path).exclude(project_id="").order_by("-created_at").first()
        waiting = enqueue(
            EndedSession(
                note_id=f"hand-{uuid4()}",
                session_id=Path(path).stem[:255],
                transcript_path=path,
                project_id=known.project_id if known else "",
            ),
            now=now,
        )
    if project_id and waiting.project_id != project_id:
        waiting.project_id = project_id
        waiting.save(update_fields=["project_id"])
    return waiting


def claim_next(jobs: ExtractJobQuerySet, *, run: ExtractRun, now: datetime) -> ExtractJob | None:
    """The oldest waiting job that this run may take, now running; None when there is none left.

    A run has each job once, and leaves alone what is left of a transcript that has failed in it: the failed job's
    checkpoint holds what was read of those bytes, and the later job would read them again.
    """
    failed = ExtractJob.objects.filter(run=run, status=ExtractJob.Status.PENDING, attempts__gt=0)
    fresh = jobs.waiting().exclude(run=run).exclude(transcript_path__in=failed.values("transcript_path"))
    while (pk := fresh.values_list("pk", flat=True).first()) is not None:
        claimed = ExtractJob.objects.filter(pk=pk, status=ExtractJob.Status.PENDING).update(
            status=ExtractJob.Status.RUNNING, attempts=F("attempts") + 1, run=run, updated_at=now
        )
        if claimed:
            return ExtractJob.objects.get(pk=pk)
    return None


def recover_lost(*, now: datetime) -> int:
    """Puts back what a run that was killed left as running. Only who holds the extract lock may call it."""
    lost = list(ExtractJob.objects.filter(status=ExtractJob.Status.RUNNING))
    for job in lost:
        release_failed(job, LOST, now=now)
    return len(lost)


def finish(job: ExtractJob, *, now: datetime) -> None:
    _save(job, ExtractJob.Status.DONE, error="", now=now)


def keep_pending(job: ExtractJob, *, now: datetime) -> None:
    """Its transcript has grown meanwhile: the rest is for the next run, and this was no failure."""
    job.attempts = 0
    _save(job, ExtractJob.Status.PENDING, error="", now=now)


def release_failed(job: ExtractJob, error: str, *, now: datetime) -> None:
    """Back into the queue, or given up after the last attempt."""
    is_last = job.attempts >= MAX_ATTEMPTS
    _save(job, ExtractJob.Status.DEAD if is_last else ExtractJob.Status.PENDING, error=error, now=now)


def park(job: ExtractJob, error: str, *, now: datetime) -> None:
    """Out of the queue: its transcript cannot be read, and trying again would not help."""
    _save(job, ExtractJob.Status.FAILED, error=error, now=now)


def retry(jobs: ExtractJobQuerySet, *, now: datetime) -> int:
    """Puts what was given up back into the queue, save jobs that failed for want of a transcript which is still not there."""
    rows = jobs.given_up().values_list("pk", "status", "transcript_path")
    hopeful = [pk for pk, status, path in rows if status == ExtractJob.Status.DEAD or _mtime(path) is not None]
    return ExtractJob.objects.filter(pk__in=hopeful).update(
        status=ExtractJob.Status.PENDING, attempts=0, last_error="", run=None, updated_at=now
    )


def find_job(pk: int) -> ExtractJob:
    """Raises JobUnknown."""
    job = ExtractJob.objects.filter(pk=pk).first()
    if job is None:
        raise JobUnknown(_("There is no job %(pk)d.") % {"pk": pk})
    return job


def retry_one(pk: int, *, now: datetime) -> ExtractJob:
    """Raises JobUnknown, or JobNotGivenUp for a job that waits, runs or is done."""
    job = find_job(pk)
    if not retry(ExtractJob.objects.filter(pk=pk), now=now):
        if ExtractJob.objects.given_up().filter(pk=pk).exists():
            sentence = _("There is no transcript at %(path)s, so job %(pk)d cannot be tried again.")
            raise JobNotGivenUp(sentence % {"path": job.transcript_path, "pk": pk})
        sentence = _("Job %(pk)d is %(status)s; only a job that was given up can be tried again.")
        raise JobNotGivenUp(sentence % {"pk": pk, "status": _(job.status)})
    job.refresh_from_db()
    return job


def _save(job: ExtractJob, status: ExtractJob.Status, *, error: str, now: datetime) -> None:
    job.status = status
    job.last_error = error[:MAX_ERROR_CHARS]
    job.updated_at = now
    if status == ExtractJob.Status.DONE:
        job.checkpoint = {}
    job.save()


def _mtime(path: str) -> float | None:
    try:
        return Path(path).expanduser().stat().st_mtime
    except (OSError, ValueError, RuntimeError):
        return None
