"""The bytes of one spooled note > a typed Note, or NoteRefused with the reason. Pure.

A hook wrote the note, but a disk can tear it, and another version can have written it. So each field is checked here,
once: what comes out has values of known type, fits its column and can be stored by any database.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from hooks.hot.hosts.contract import host_of
from hooks.hot.hosts.cursor import workspace_of
from hooks.notes import NO_SESSION, FailureNote, GateNote, Match, Note, PromptNote, SessionEndNote, SessionStartNote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

NOTE_VERSION = 1
MAX_NOTE_BYTES = 1 << 20
ID_LIMIT = 255  # characters
NOTE_ID_LIMIT = 128
NAME_LIMIT = 64
PATH_LIMIT = 4096
MESSAGE_LIMIT = 500
MAX_RULES = 64  # of one list in a note; a prompt shows at most five
LARGEST_NUMBER = 1e15  # beyond it, and for infinity and NaN, nothing that a hook measures
LATEST = 4_102_444_800.0  # 2100-01-01, in epoch seconds
ANSWERS = frozenset({"deny", "passed", "expired", "mismatch", "sub_agent", "corrupt"})
LEVELS = frozenset({"hot", "warm"})
PAYLOAD_FIELDS = ("session_id", "transcript_path", "cwd", "reason", "hook_event_name", "permission_mode")
SESSION_ID = re.compile(r'"session_id"\s*:\s*"([\w-]{1,255})"', re.ASCII)


class NoteRefused(ValueError):
    """The bytes are no note that can be filed; the message says why."""


def read_note(data: bytes) -> Note:
    """Raises NoteRefused."""
    fields = _Fields(_read_object(data))
    version = fields.content.get("v")
    if version != NOTE_VERSION:
        raise NoteRefused(f"it has version {version!r}, and {NOTE_VERSION} is known")
    kind = fields.text("kind", NAME_LIMIT)
    if kind not in READERS:
        raise NoteRefused(f"its kind {kind!r} is not known")
    return READERS[kind](fields)


def storable(text: str, limit: int) -> str:
    """Text that any database takes: no NUL, no lone surrogate, at most so many characters."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")[:limit]


class _Fields:
    """A note's content, read field by field."""

    def __init__(self, content: Mapping[str, object]) -> None:
        self.content = content

    def text(self, name: str, limit: int) -> str:
        value = self.content.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise NoteRefused(f"its {name} is not text")
        return storable(value, limit)

    def number(self, name: str) -> float | None:
        value = self.content.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < LARGEST_NUMBER:
            raise NoteRefused(f"its {name} is not a number")
        return float(value)

    def flag(self, name: str) -> bool | None:
        value = self.content.get(name)
        if value is not None and not isinstance(value, bool):
            raise NoteRefused(f"its {name} is neither true nor false")
        return value

    def matches(self, name: str) -> tuple[Match, ...]:
        """The entries that name a rule and how close it was; others are of a rule that nobody knows."""
        return tuple(_matches(self._objects(name)))

    def rule_ids(self, name: str) -> tuple[UUID, ...]:
        ids = (_rule_id(entry.get("rule_id")) for entry in self._objects(name))
        return tuple(rule_id for rule_id in ids if rule_id is not None)

    def _objects(self, name: str) -> list[dict[str, object]]:
        value = self.content.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise NoteRefused(f"its {name} is not a list of objects")
        return value[:MAX_RULES]


def _read_object(data: bytes) -> dict[str, object]:
    if len(data) > MAX_NOTE_BYTES:
        raise NoteRefused(f"it is larger than {MAX_NOTE_BYTES} bytes")
    try:
        content = json.loads(data)
    except UnicodeDecodeError as error:
        raise NoteRefused(f"it is not UTF-8: see byte {error.start + 1}") from error
    except (ValueError, RecursionError) as error:
        raise NoteRefused(f"it is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise NoteRefused("it is not a JSON object")
    return content


def _common(fields: _Fields) -> dict[str, Any]:  # Any: the arguments of Note, which differ in type
    note_id = fields.text("id", NOTE_ID_LIMIT + 1)
    if not 0 < len(note_id) <= NOTE_ID_LIMIT:
        raise NoteRefused(f"its id has not 1 to {NOTE_ID_LIMIT} characters")
    at = fields.number("at")
    if at is None or not 0 <= at <= LATEST:
        raise NoteRefused("it has no time that can be")
    return {
        "id": note_id,
        "at": datetime.fromtimestamp(at, UTC),
        "day": _day(fields.text("day", NAME_LIMIT)),
        "event": fields.text("event", 32),
        "host": fields.text("host", 32),
        "session_id": fields.text("session_id", ID_LIMIT) or NO_SESSION,
        "project_id": fields.text("project_id", ID_LIMIT),
        "cwd": fields.text("cwd", PATH_LIMIT),
        "ms": fields.number("ms"),
    }


def _read_prompt(fields: _Fields) -> PromptNote:
    return PromptNote(
        **_common(fields),
        prompt_key=fields.text("prompt_key", ID_LIMIT),
        shown=fields.matches("shown"),
        shadow=fields.matches("shadow"),
        reactivated=fields.matches("reactivated"),
        dismissed=fields.rule_ids("dismissed"),
    )


def _read_session_start(fields: _Fields) -> SessionStartNote:
    return SessionStartNote(
        **_common(fields),
        source=fields.text("source", 32),
        transcript_path=fields.text("transcript_path", PATH_LIMIT),
    )


def _read_session_end(fields: _Fields) -> SessionEndNote:
    """What the note itself does not say is looked up in the payload, as the host sent it."""
    common = _common(fields)
    payload = _Payload(fields.content.get("payload"))
    known = common["session_id"] != NO_SESSION
    return SessionEndNote(
        **{
            **common,
            "host": host_of(payload.content),
            "session_id": common["session_id"] if known else payload.session_id,
            "cwd": common["cwd"]
            or payload.text("cwd", PATH_LIMIT)
            or storable(workspace_of(payload.content), PATH_LIMIT),
        },
        reason=fields.text("reason", NAME_LIMIT) or payload.text("reason", NAME_LIMIT),
        transcript_path=payload.text("transcript_path", PATH_LIMIT),
        payload={name: payload.text(name, PATH_LIMIT) for name in PAYLOAD_FIELDS if name in payload.content},
        problem=payload.problem,
    )


def _read_gate(fields: _Fields) -> GateNote:
    answer = fields.text("answer", NAME_LIMIT)
    if answer not in ANSWERS:
        raise NoteRefused(f"its answer {answer!r} is not known")
    return GateNote(
        **_common(fields),
        answer=answer,
        rule_id=_rule_id(fields.content.get("rule_id")),
        short_id=fields.text("short_id", 32),
        tool_name=fields.text("tool_name", ID_LIMIT),
        tool_use_id=fields.text("tool_use_id", ID_LIMIT),
        same_tool=fields.flag("same_tool"),
    )


def _read_failure(fields: _Fields) -> FailureNote:
    return FailureNote(
        **_common(fields),
        error=fields.text("error", 100) or "Error",
        message=fields.text("message", MESSAGE_LIMIT),
        is_deadline=fields.flag("deadline") is True,
    )


READERS: dict[str, Callable[[_Fields], Note]] = {
    "prompt": _read_prompt,
    "session_start": _read_session_start,
    "session_end": _read_session_end,
    "gate": _read_gate,
    "failure": _read_failure,
}


class _Payload:
    """What a host sent at the end of a session, which nobody has checked yet: an object, its text, or anything.

    Only PAYLOAD_FIELDS are kept: a host may send more than anyone asked for, such as an e-mail address.
    """

    def __init__(self, raw: object) -> None:
        self.content: dict[str, object] = {}
        self.problem = ""
        try:
            content = json.loads(raw) if isinstance(raw, str) else raw
        except (ValueError, RecursionError):
            content = None
        if isinstance(content, dict):
            self.content = content
            return
        self.problem = "the host's payload is not a JSON object"
        if isinstance(raw, str) and (found := SESSION_ID.search(raw)):
            self.content = {"session_id": found[1]}

    @property
    def session_id(self) -> str:
        names = ("session_id", "conversation_id")  # Cursor's common fields have only the second
        return next((found for name in names if (found := self.text(name, ID_LIMIT))), NO_SESSION)

    def text(self, name: str, limit: int) -> str:
        value = self.content.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.problem = f"the host's {name} is not text"
            return ""
        return storable(value, limit)


def _matches(entries: Iterable[Mapping[str, object]]) -> Iterable[Match]:
    for entry in entries:
        rule_id, level = _rule_id(entry.get("rule_id")), entry.get("level")
        if rule_id is not None and isinstance(level, str) and level in LEVELS:
            yield Match(rule_id=rule_id, level=level, is_full=entry.get("full") is True)


def _rule_id(value: object) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise NoteRefused(f"its day {text!r} is not a date") from error
