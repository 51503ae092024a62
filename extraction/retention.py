"""How long what extraction did is kept: the scan that removes its old rows. How far a transcript is read is kept for good."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from extraction.models import ExtractJob, ExtractRun
from rules.maintenance import Counts, Scan, delete_in_batches

if TYPE_CHECKING:
    from datetime import datetime

JOB_AGE = timedelta(days=60)  # hosts delete transcripts after 30 days, so an older job has nothing left to read
RUN_AGE = timedelta(days=60)


def extraction_scans() -> tuple[Scan, ...]:
    return (Scan(name="extraction rows", every=timedelta(days=1), run=_delete_old_rows),)


def _delete_old_rows(now: datetime) -> Counts:
    old_jobs = ExtractJob.objects.filter(updated_at__lt=now - JOB_AGE).exclude(status=ExtractJob.Status.RUNNING)
    return {
        "jobs": delete_in_batches(old_jobs),
        "runs": delete_in_batches(ExtractRun.objects.filter(started_at__lt=now - RUN_AGE)),
    }
