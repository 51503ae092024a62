"""What a hook did, as its note tells it: typed values that fit their columns. `hooks.note_reader` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime
    from uuid import UUID

NO_SESSION = "-"  # the session id of a host that sends none


@dataclass(frozen=True, kw_only=True)
class Note:
    """What every note says. `day` is the local day of `at`; ms is None where the call was not timed."""

    id: str
    at: datetime
    day: date
    event: str
    host: str
    session_id: str
    project_id: str
    cwd: str
    ms: float | None


@dataclass(frozen=True, kw_only=True)
class Match:
    """A rule that a prompt met, and how closely: hot or warm."""

    rule_id: UUID
    level: str
    is_full: bool = False


@dataclass(frozen=True, kw_only=True)
class PromptNote(Note):
    prompt_key: str
    shown: tuple[Match, ...]
    shadow: tuple[Match, ...]
    reactivated: tuple[Match, ...]
    dismissed: tuple[UUID, ...]

    @property
    def concerns_rules(self) -> bool:
        return any((self.shown, self.shadow, self.reactivated, self.dismissed))


@dataclass(frozen=True, kw_only=True)
class SessionStartNote(Note):
    source: str
    transcript_path: str


@dataclass(frozen=True, kw_only=True)
class SessionEndNote(Note):
    """`problem` says what was wrong with the host's payload, empty when nothing was."""

    reason: str
    transcript_path: str
    payload: Mapping[str, object]
    problem: str


@dataclass(frozen=True, kw_only=True)
class GateNote(Note):
    answer: str
    rule_id: UUID | None
    short_id: str
    tool_name: str
    tool_use_id: str
    same_tool: bool | None


@dataclass(frozen=True, kw_only=True)
class FailureNote(Note):
    error: str
    message: str
    is_deadline: bool
