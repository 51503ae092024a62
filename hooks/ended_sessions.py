"""Sessions that are over > what others need to know of it: the hot cache's file, and jobs for those nobody ended.

A client that was killed sends no session end. Once its transcript has rested for a day, its session counts as ended: it
gets its job, and keeps no other session's extraction waiting any more.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import transaction

from extraction.jobs import EndedSession, enqueue
from hooks.models import AgentSession
from rules.disk import write_atomic

if TYPE_CHECKING:
    from rules.disk import DataFolder

FILE = "ended_sessions.json"
FORMAT = 1
MAX_LISTED = 1_000  # latest sessions that are looked at
REST = timedelta(hours=24)
REASON = "no end was sent"


def publish_ended_sessions(folder: DataFolder) -> bool:
    """Writes, by folder, the transcript of the last session that ended there; False when nothing changed."""
    latest = AgentSession.objects.ended().exclude(transcript_path="").order_by("-ended_at")[:MAX_LISTED]
    by_cwd: dict[str, str] = {}
    for cwd, path in latest.values_list("cwd", "transcript_path"):
        by_cwd.setdefault(cwd, path)
    data = json.dumps({"format": FORMAT, "by_cwd": by_cwd}, sort_keys=True).encode()
    target = Path(folder.published) / FILE
    if target.is_file() and target.read_bytes() == data:
        return False
    write_atomic(str(target), data)
    return True


def end_abandoned_sessions(*, now: datetime) -> int:
    """Ends the open sessions that have been silent for a day, each with a job; returns how many."""
    silent = AgentSession.objects.open().filter(last_activity__lte=now - REST)
    abandoned = [session for session in silent if _has_rested(session.transcript_path, now=now)]
    for session in abandoned:
        _end(session, now=now)
    return len(abandoned)


@transaction.atomic
def _end(session: AgentSession, *, now: datetime) -> None:
    session.ended_at = now
    session.end_reason = REASON
    session.save(update_fields=["ended_at", "end_reason"])
    if session.transcript_path:
        enqueue(
            EndedSession(
                note_id=f"abandoned-{session.pk}-{session.last_activity.timestamp():.0f}",
                session_id=session.session_id,
                transcript_path=session.transcript_path,
                project_id=session.project_id,
            ),
            now=now,
        )


def _has_rested(transcript_path: str, *, now: datetime) -> bool:
    """A transcript that is gone rests for good, as does one that there never was."""
    if not transcript_path:
        return True
    try:
        changed = datetime.fromtimestamp(Path(transcript_path).stat().st_mtime, tz=UTC)
    except (OSError, ValueError):
        return True
    return changed <= now - REST
