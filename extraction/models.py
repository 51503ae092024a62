"""What extraction has to do: one job for each session that ended."""

from __future__ import annotations

from django.db import models


class ExtractJobQuerySet(models.QuerySet["ExtractJob"]):
    def waiting(self) -> ExtractJobQuerySet:
        """The jobs that an extraction would take, oldest first."""
        return self.filter(status=ExtractJob.Status.PENDING).order_by("created_at", "pk")


class ExtractJob(models.Model):
    """One transcript to read, because one session ended. A session that was resumed ends again: another job."""

    class Status(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        DEAD = "dead"

    note_id = models.CharField(max_length=128, unique=True)
    transcript_path = models.CharField(max_length=4096)
    session_id = models.CharField(max_length=255)
    project_id = models.CharField(max_length=255, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.CharField(max_length=500, blank=True)
    payload = models.JSONField(default=dict)  # what the host said at the end of the session
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = ExtractJobQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["status", "created_at"], name="extractjob_waiting")]

    def __str__(self) -> str:
        return f"{self.status} {self.transcript_path}"
