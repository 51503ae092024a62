"""Typed notes > rows: what one batch of notes comes to, written inside the caller's transaction.

Notes enter in the order in which they were left. Rows that belong to the batch as a whole (sessions, counts, failures)
are kept in memory and written once, by close(). A rule that is gone by now is passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.db import transaction

from extraction.jobs import EndedSession, enqueue
from hooks.call_counts import UNKNOWN_HOST, CallCounts, CallKey
from hooks.hot.coalesce import WINDOW_SECONDS
from hooks.models import AgentSession, FiledNote, GateDecision, HookFailure
from hooks.notes import NO_SESSION, FailureNote, GateNote, PromptNote, SessionEndNote, SessionStartNote
from rules.authoring import dismiss_rule
from rules.injections import PromptAnswer, ShownRule, record_injections
from rules.lifecycle import Mover
from rules.models import Rule
from rules.projects import project_id
from rules.shadow_pool import record_shadow_hit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from hooks.notes import Note

SESSION_FIELDS = (
    "host",
    "project_id",
    "cwd",
    "transcript_path",
    "source",
    "started_at",
    "last_activity",
    "ended_at",
    "end_reason",
)


class Ledger:
    """The rows of one batch of notes, none of which was filed before."""

    def __init__(self, notes: Sequence[Note]) -> None:
        session_ids = {note.session_id for note in notes}
        rule_ids = {note.rule_id for note in notes if isinstance(note, GateNote)}
        self._sessions = AgentSession.objects.in_bulk(session_ids, field_name="session_id")
        self._rules = set(Rule.objects.filter(pk__in=rule_ids).values_list("pk", flat=True))
        self._shadow_hits: set[tuple[UUID, str, date, str]] = set()
        self._decisions: list[GateDecision] = []
        self._failures: list[HookFailure] = []
        self._entered: list[Note] = []

    def enter(self, note: Note) -> None:
        """Takes one note in; of one that a database error or ValueError comes out of, no row stays."""
        match note:
            case PromptNote():
                self._enter_prompt(note)
            case SessionStartNote():
                self._enter_session_start(note)
            case SessionEndNote():
                self._enter_session_end(note)
            case GateNote():
                self._enter_gate(note)
            case FailureNote():
                self._failures.append(_failure(note, note.error, message=note.message, is_deadline=note.is_deadline))
        self._entered.append(note)

    def close(self, *, now: datetime) -> None:
        """Writes what the whole batch comes to, and that its notes are filed."""
        AgentSession.objects.bulk_create(
            self._sessions.values(), update_conflicts=True, unique_fields=["session_id"], update_fields=SESSION_FIELDS
        )
        GateDecision.objects.bulk_create(self._decisions, ignore_conflicts=True)
        HookFailure.objects.bulk_create(self._failures, ignore_conflicts=True)
        _counts(self._entered).save()
        FiledNote.objects.bulk_create([FiledNote(note_id=note.id, filed_at=now) for note in self._entered])

    def _enter_prompt(self, note: PromptNote) -> None:
        self._touch_session(note)
        if note.concerns_rules:
            with transaction.atomic():
                record_injections(_answer(note))
                for rule in Rule.objects.filter(pk__in=note.dismissed):
                    dismiss_rule(rule, by=Mover.CHAT, now=note.at)
                self._enter_shadow_hits(note)

    def _enter_shadow_hits(self, note: PromptNote) -> None:
        """Only the first of a day counts, so the others of this batch are not even asked for."""
        project = _witness(note) if note.shadow else ""
        for match in note.shadow:
            hit = (match.rule_id, project, note.day, match.level)
            if hit not in self._shadow_hits:
                self._shadow_hits.add(hit)
                record_shadow_hit(str(match.rule_id), project_id=project, level=match.level, now=note.at)

    def _enter_session_start(self, note: SessionStartNote) -> None:
        session = self._touch_session(note)
        session.source = note.source
        session.transcript_path = note.transcript_path or session.transcript_path

    def _enter_session_end(self, note: SessionEndNote) -> None:
        if note.problem:
            self._failures.append(_failure(note, "PayloadBroken", message=note.problem))
        is_twin = self._has_just_ended(note)
        session = self._touch_session(note)
        session.ended_at = note.at
        session.end_reason = note.reason
        session.transcript_path = note.transcript_path or session.transcript_path
        if note.transcript_path and not is_twin:
            enqueue(_ended(note, project_id=note.project_id or session.project_id), now=note.at)

    def _has_just_ended(self, note: SessionEndNote) -> bool:
        """Whether another registration told this end already; a session that went on since is open again."""
        session = self._sessions.get(note.session_id)
        if session is None or session.ended_at is None or session.transcript_path != note.transcript_path:
            return False
        return abs((note.at - session.ended_at).total_seconds()) <= WINDOW_SECONDS

    def _enter_gate(self, note: GateNote) -> None:
        self._touch_session(note)
        self._decisions.append(
            GateDecision(
                rule_id=note.rule_id if note.rule_id in self._rules else None,
                short_id=note.short_id,
                session_id=note.session_id,
                answer=note.answer,
                tool_name=note.tool_name,
                tool_use_id=note.tool_use_id,
                same_tool=note.same_tool,
                at=note.at,
                note_id=note.id,
            )
        )

    def _touch_session(self, note: Note) -> AgentSession:
        """The note's session, open and last active now; one that is kept nowhere when the host named none."""
        session = self._sessions.get(note.session_id)
        if session is None:
            session = AgentSession(session_id=note.session_id, started_at=note.at, last_activity=note.at)
            if note.session_id != NO_SESSION:
                self._sessions[note.session_id] = session
        session.host = note.host or session.host
        session.project_id = note.project_id or session.project_id
        session.cwd = note.cwd or session.cwd
        session.last_activity = max(session.last_activity, note.at)
        if session.ended_at is not None and session.ended_at < note.at:
            session.ended_at = None
            session.end_reason = ""
        return session


def _counts(notes: Sequence[Note]) -> CallCounts:
    """A failure note stands beside the call's own one, or tells of a call whose end nobody timed."""
    counts = CallCounts()
    for note in notes:
        if note.ms is not None and not isinstance(note, FailureNote):
            key = CallKey(note.day, note.event, note.host or UNKNOWN_HOST)
            counts.add_timed(key, ms=note.ms, at=note.at)
    return counts


def _witness(note: PromptNote) -> str:
    """The project that a shadow hit speaks for: worktrees with ids of their own are one repository all the same."""
    if settings.NOKORI.isolate_worktrees and note.cwd:
        return project_id(note.cwd) or note.project_id
    return note.project_id


def _answer(note: PromptNote) -> PromptAnswer:
    return PromptAnswer(
        note_id=note.id,
        session_id=note.session_id,
        prompt_key=note.prompt_key,
        project_id=note.project_id,
        at=note.at,
        shown=[ShownRule(rule_id=rule.rule_id, level=rule.level, is_full=rule.is_full) for rule in note.shown],
        reactivated=[rule.rule_id for rule in note.reactivated],
    )


def _ended(note: SessionEndNote, *, project_id: str) -> EndedSession:
    return EndedSession(
        note_id=note.id,
        session_id=note.session_id,
        transcript_path=note.transcript_path,
        project_id=project_id,
        payload=note.payload,
    )


def _failure(note: Note, error: str, *, message: str, is_deadline: bool = False) -> HookFailure:
    return HookFailure(
        event=note.event,
        host=note.host,
        error=error,
        message=message,
        is_deadline=is_deadline,
        at=note.at,
        note_id=note.id,
    )
