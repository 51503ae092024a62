"""What agents saw, from the newest on: injections that fit a wish, and the story of one session, prompt by prompt.

Of a prompt there is only its key, never a word.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from hooks.models import AgentSession, GateDecision
from rules.models import Injection

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.db.models import QuerySet

MOST_ROWS = 1_000  # injections, and gate decisions, of one session that are told: the newest


class SessionUnknown(Exception):
    """Nothing is known of a session with that id."""


@dataclass(frozen=True, kw_only=True)
class InjectionWish:
    """An empty field wishes nothing; `rule` is the beginning of a short_id."""

    level: str = ""
    session_id: str = ""
    rule: str = ""
    project_id: str = ""


@dataclass(kw_only=True)
class PromptStory:
    """One prompt: what was shown for it, and what the gate said to the tool calls that came after it."""

    prompt_key: str
    at: datetime
    project_id: str = ""
    shown: list[Injection] = field(default_factory=list)
    gate: list[GateDecision] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class SessionStory:
    """`session` is None when its start was never filed, or its row is gone by now. Prompts stand newest first."""

    session_id: str
    session: AgentSession | None
    prompts: list[PromptStory]
    is_cut: bool


def select_injections(wish: InjectionWish) -> QuerySet[Injection]:
    columns = {
        "level": wish.level,
        "session_id": wish.session_id,
        "rule__short_id__startswith": wish.rule.strip().lower(),
        "project_id": wish.project_id,
    }
    wished = {column: value for column, value in columns.items() if value}
    return Injection.objects.filter(**wished).order_by("-at", "-pk")


def with_rules(injections: QuerySet[Injection]) -> QuerySet[Injection]:
    """With the rule of each row at hand, so that a page of them takes one query."""
    return injections.select_related("rule")


def tell_session(session_id: str) -> SessionStory:
    """Raises SessionUnknown."""
    session = AgentSession.objects.filter(session_id=session_id).first()
    shown = with_rules(select_injections(InjectionWish(session_id=session_id)))[: MOST_ROWS + 1] if session_id else []
    decisions = GateDecision.objects.filter(session_id=session_id).order_by("-at", "-pk")[: MOST_ROWS + 1]
    injections, answers = list(shown), list(decisions)
    if session is None and not injections and not answers:
        raise SessionUnknown(f"Nothing is known of the session {session_id[:80]!r}.")
    return SessionStory(
        session_id=session_id,
        session=session,
        prompts=_prompts(injections[:MOST_ROWS], answers[:MOST_ROWS]),
        is_cut=len(injections) > MOST_ROWS or len(answers) > MOST_ROWS,
    )


def _prompts(injections: Iterable[Injection], answers: Iterable[GateDecision]) -> list[PromptStory]:
    prompts = [_prompt(list(rows)) for _, rows in groupby(injections, key=lambda row: row.note_id)]
    for answer in answers:
        _prompt_before(answer, prompts).gate.insert(0, answer)
    return sorted(prompts, key=lambda prompt: prompt.at, reverse=True)


def _prompt(rows: list[Injection]) -> PromptStory:
    first = rows[-1]  # of the oldest on, the order in which they were shown
    return PromptStory(
        prompt_key=first.prompt_key, at=first.at, project_id=first.project_id, shown=list(reversed(rows))
    )


def _prompt_before(answer: GateDecision, prompts: list[PromptStory]) -> PromptStory:
    """The latest prompt before that tool call, or one without a key when there is none."""
    found = next((prompt for prompt in prompts if prompt.at <= answer.at), None)
    if found is None:
        found = PromptStory(prompt_key="", at=answer.at)
        prompts.append(found)
    return found
