"""Notes as hooks leave them: note(kind, **changes) is one's content, spool() puts it where filing looks."""

import json
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
KINDS: dict[str, dict[str, object]] = {
    "prompt": {
        "event": "user-prompt-submit",
        "prompt_key": "p1",
        "shown": [],
        "shadow": [],
        "reactivated": [],
        "dismissed": [],
        "armed": None,
        "machine": False,
    },
    "session_start": {"event": "session-start", "source": "startup", "transcript_path": "/t/s1.jsonl"},
    "session_end": {
        "event": "session-end",
        "reason": "other",
        "payload": {"session_id": "s1", "transcript_path": "/t/s1.jsonl", "cwd": "/w", "reason": "other"},
    },
    "gate": {
        "event": "pre-tool-use",
        "answer": "deny",
        "short_id": "abc123",
        "rule_id": "",
        "tool_name": "Bash",
        "tool_use_id": "toolu_1",
        "same_tool": None,
    },
    "failure": {"event": "user-prompt-submit", "error": "IndexUnreadable", "message": "no index", "deadline": False},
}
_numbers = count(1)


def note(kind, /, **changes):
    """The content of a note of this kind, complete and unremarkable, with an id of its own."""
    return {
        "v": 1,
        "id": f"{next(_numbers):016x}-test",
        "kind": kind,
        "at": NOON.timestamp(),
        "day": "2026-11-30",
        "host": "claude",
        "session_id": "s1",
        "project_id": "app-12345678",
        "cwd": "/w",
        "ms": 20.0,
        **KINDS[kind],
        **changes,
    }


def spool(folder, content, *, name=""):
    """Leaves a note, or any bytes, in the spool."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    path = Path(folder.spool_new, name or f"{content['id']}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def match(rule, level="hot", *, full=True):
    return {"rule_id": str(rule.pk), "short_id": rule.short_id, "level": level, "full": full}
