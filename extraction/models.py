"""What extraction has to do and has done: jobs, how far each transcript is read, and the runs.

A job is claimed by one run at a time. Its checkpoint holds what the model found and which of it is merged already, so
that a run that was cut off goes on there.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from datetime import datetime

PAUSES_AFTER_FAILURE = (timedelta(minutes=30), timedelta(hours=6))  # before a background run tries again


class ExtractJobQuerySet(models.QuerySet["ExtractJob"]):
    def waiting(self) -> ExtractJobQuerySet:
        """The jobs that an extraction would take, oldest first."""
        return self.filter(status=ExtractJob.Status.PENDING).order_by("created_at", "pk")

    def rested(self, *, now: datetime) -> ExtractJobQuerySet:
        """Without the transcripts of which a job failed a moment ago: the more often, the longer they rest.

        A later job of such a transcript would read the same bytes again.
        """
        is_tired = Q()
        for attempts, pause in enumerate(PAUSES_AFTER_FAILURE, start=1):
            is_tired |= Q(attempts=attempts, updated_at__gt=now - pause)
        tired = ExtractJob.objects.filter(is_tired, status=ExtractJob.Status.PENDING)
        return self.exclude(transcript_path__in=tired.values("transcript_path"))

    def matching(self, *, status: str = "", project_id: str = "", transcript: str = "") -> ExtractJobQuerySet:
        """An empty word wishes nothing; `transcript` is a part of the path."""
        wished = {"status": status, "project_id": project_id, "transcript_path__icontains": transcript}
        return self.filter(**{name: word for name, word in wished.items() if word}).order_by("-updated_at", "-pk")

    def counted_by_status(self) -> models.QuerySet[ExtractJob, tuple[str, int]]:
        return self.order_by().values_list("status").annotate(number=models.Count("*"))

    def given_up(self) -> ExtractJobQuerySet:
        return self.filter(status__in=ExtractJob.GIVEN_UP)


class ExtractJob(models.Model):
    """One transcript to read, because one session ended. A session that was resumed ends again: another job."""

    class Status(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"  # its transcript cannot be read
        DEAD = "dead"  # was tried too often

    GIVEN_UP = (Status.FAILED, Status.DEAD)  # until a person says retry

    note_id = models.CharField(max_length=128, unique=True)
    transcript_path = models.CharField(max_length=4096)
    session_id = models.CharField(max_length=255)
    project_id = models.CharField(max_length=255, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.CharField(max_length=500, blank=True)
    payload = models.JSONField(default=dict)  # what the host said at the end of the session
    transcript_mtime = models.FloatField(null=True, blank=True)  # when it was looked at last; epoch seconds
    start_offset = models.BigIntegerField(null=True, blank=True)
    end_offset = models.BigIntegerField(null=True, blank=True)
    counts = models.JSONField(default=dict, blank=True)  # lines, broken lines, secrets, candidates, what became of them
    checkpoint = models.JSONField(default=dict, blank=True)
    run = models.ForeignKey("ExtractRun", models.SET_NULL, null=True, blank=True, related_name="jobs")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = ExtractJobQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["status", "created_at"], name="extractjob_waiting")]

    def __str__(self) -> str:
        return f"{self.status} {self.transcript_path}"


class TranscriptState(models.Model):
    """How far a transcript is extracted: everything before byte `offset` has become rules or was not worth one."""

    transcript_path = models.CharField(max_length=4096, unique=True)
    offset = models.BigIntegerField(default=0)
    mtime = models.FloatField(default=0)  # of the file when it was read; epoch seconds
    extracted_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.transcript_path} up to {self.offset}"


class ExtractRun(models.Model):
    """One run of the extractor, by hand or in the background, and what came of it."""

    is_automatic = models.BooleanField(default=False)
    started_at = models.DateTimeField(db_index=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    summary = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"{'background' if self.is_automatic else 'manual'} run at {self.started_at}"
