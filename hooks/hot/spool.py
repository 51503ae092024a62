"""What a hook did > a note in spool/new, and back. A note holds ids and times, never the text of a prompt.

Every note carries v, id, kind, at (epoch seconds), day (local), event, host, session_id, project_id, cwd and ms; what
else it says depends on its kind: prompt, session_start, session_end, gate or failure.
"""

from __future__ import annotations

import json
import time

from hooks.hot.maildir import deliver, new_note_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.call import Call
    from rules.disk import DataFolder

NOTE_VERSION = 1
MAX_MESSAGE = 300  # characters of a failure's one line


class NoteUnreadable(ValueError):
    """The file holds no note."""


def leave_note(folder: DataFolder, note: dict[str, object]) -> None:
    """Raises OSError when the disk does not take it."""
    data = json.dumps(note, separators=(",", ":")).encode("ascii")
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


def failure_note(event: str, problem: Exception, *, now: float, session_id: str = "") -> dict[str, object]:
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
        "ms": 0.0,
        "error": type(problem).__name__,
        "message": one_line(str(problem)),
        "deadline": False,
    }


def read_note(data: bytes) -> dict[str, object]:
    """A note as it was left; a session_end note gets the fields that its raw payload holds. Raises NoteUnreadable."""
    try:
        note = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NoteUnreadable(str(error)) from error
    if not isinstance(note, dict) or note.get("v") != NOTE_VERSION or not isinstance(note.get("id"), str):
        raise NoteUnreadable("no note of a known version")
    if note.get("kind") == "session_end":
        note.update(_payload_fields(note.get("payload")))
    return note


def local_day(now: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(now))


def one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_MESSAGE]


def _payload_fields(raw: object) -> dict[str, object]:
    """The payload as an object ({} when the host sent none), and what a session end is filed by."""
    try:
        payload = json.loads(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError):
        payload = {}
    if not isinstance(payload, dict):
        payload = {}
    texts = {name: value for name, value in payload.items() if isinstance(value, str)}
    return {
        "payload": payload,
        "session_id": texts.get("session_id") or "-",
        "cwd": texts.get("cwd", ""),
        "reason": texts.get("reason", ""),
        "transcript_path": texts.get("transcript_path", ""),
    }
