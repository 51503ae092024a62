"""What a hook did > a note in spool/new. A note holds ids and times, never the text of a prompt.

Every note carries v, id, kind, at (epoch seconds), day (local), event, host, session_id, project_id, cwd and ms; what
else it says depends on its kind: prompt, session_start, session_end, gate or failure.
"""

from __future__ import annotations

import time

from hooks.hot.maildir import deliver, new_note_id
from rules.plain_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.call import Call
    from rules.disk import DataFolder

NOTE_VERSION = 1
MAX_MESSAGE = 300  # characters of a failure's one line


def leave_note(folder: DataFolder, note: dict[str, object]) -> None:
    """Raises OSError when the disk does not take it."""
    data = dumps(note, is_compact=True).encode("ascii")
    deliver(folder, str(note["id"]), data)


def note_of(call: Call, kind: str, **facts: object) -> dict[str, object]:
    """A note about this call; facts are what the kind adds."""
    event = call.event
    return {
        "v": NOTE_VERSION,
        "id": new_note_id(call.now),
        "kind": kind,
        "at": call.now,
        "day": local_day(call.now),
        "event": event.event,
        "host": event.host,
        "session_id": event.session_id,
        "project_id": call.project_id,
        "cwd": event.cwd,
        "ms": round(call.milliseconds(), 2),
        **facts,
    }


def failure_note(
    event: str, problem: Exception, *, now: float, session_id: str = "", ms: float | None = None
) -> dict[str, object]:
    """ms only when no other note tells how long the call took."""
    return {
        "v": NOTE_VERSION,
        "id": new_note_id(now),
        "kind": "failure",
        "at": now,
        "day": local_day(now),
        "event": event,
        "host": "",
        "session_id": session_id,
        "project_id": "",
        "cwd": "",
        "ms": ms,
        "error": type(problem).__name__,
        "message": one_line(str(problem)),
        "deadline": False,
    }


def local_day(now: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(now))


def one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_MESSAGE]
