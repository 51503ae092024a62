"""The queue of transcripts to extract: a session end comes in, a pending job goes out. One note makes one job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from extraction.models import ExtractJob

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


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
            "created_at": now,
            "updated_at": now,
        },
    )
    return job
