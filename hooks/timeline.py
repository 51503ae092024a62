"""What agents saw, from the newest on: injections that fit a wish, and the story of one session, prompt by prompt.

Of a prompt there is only its key, never a word.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from django.db.models import Min

from hooks.models import AgentSession, GateDecision
from rules.lifecycle import Level
from rules.models import Injection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from django.db.models import QuerySet

GATE_MOST = timedelta(hours=1)  # after a prompt; a marker lives ten minutes by default
MOST_COUNTED = 5_000  # of each level
MOST_ROWS = 100  # injections, and gate decisions, of one session that are told: the newest; the timeline has all


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

    session_id: str
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


@dataclass(frozen=True, kw_only=True)
class LevelCounts:
    """How many injections fit a wish whatever its level, by level, up to MOST_COUNTED each; `wished`: of the wished level."""

    hot: int
    warm: int
    wished: int

    @property
    def total(self) -> int:
        return self.hot + self.warm

    @property
    def is_capped(self) -> bool:
        return MOST_COUNTED in (self.hot, self.warm)


def count_levels(wish: InjectionWish) -> LevelCounts:
    hot, warm = (_count(replace(wish, level=level)) for level in (Level.HOT, Level.WARM))
    by_level = {Level.HOT.value: hot, Level.WARM.value: warm}
    return LevelCounts(hot=hot, warm=warm, wished=by_level.get(wish.level, hot + warm))


def _count(wish: InjectionWish) -> int:
    """Counting all rows of years takes longer than showing a page of them."""
    return select_injections(wish).order_by()[:MOST_COUNTED].count()


def select_injections(wish: InjectionWish) -> QuerySet[Injection]:
    columns = {
        "level": wish.level,
        "session_id": wish.session_id,
        "rule__short_id__startswith": wish.rule.strip().lower(),
        "project_id": wish.project_id,
    }
    wished = {column: value for column, value in columns.items() if value}
    return Injection.objects.filter(**wished).order_by("-at", "-pk")


def at_hand(keys: Collection[int]) -> QuerySet[Injection]:
    """The rows with these keys, newest first: a page far down is found by its keys alone, which an index holds."""
    return with_rules(Injection.objects.filter(pk__in=keys).order_by("-at", "-pk"))


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


def tell_prompts(injections: Iterable[Injection]) -> list[PromptStory]:
    """A page of a list, newest first, prompt by prompt, with what the gate said until the session's next prompt."""
    prompts = _by_prompt(injections)
    if not prompts:
        return []
    sessions = {prompt.session_id for prompt in prompts}
    newest, oldest = prompts[0].at, prompts[-1].at
    later = Injection.objects.filter(session_id__in=sessions, at__gt=newest).order_by()
    ends = dict(later.values_list("session_id").annotate(Min("at")))
    answers = GateDecision.objects.filter(session_id__in=sessions, at__gte=oldest, at__lte=newest + GATE_MOST)
    for answer in answers.order_by("at", "pk"):
        prompt = _latest_before(answer, prompts)
        if prompt is not None and answer.at < ends.get(answer.session_id, answer.at + GATE_MOST):
            prompt.gate.append(answer)
    return prompts


def _prompts(injections: Iterable[Injection], answers: Iterable[GateDecision]) -> list[PromptStory]:
    prompts = _by_prompt(injections)
    for answer in answers:
        _prompt_of(answer, prompts).gate.insert(0, answer)
    return sorted(prompts, key=lambda prompt: prompt.at, reverse=True)


def _by_prompt(injections: Iterable[Injection]) -> list[PromptStory]:
    return [_prompt(list(rows)) for _, rows in groupby(injections, key=lambda row: row.note_id)]


def _prompt(rows: list[Injection]) -> PromptStory:
    first = rows[-1]  # newest first: the last one was shown first
    return PromptStory(
        session_id=first.session_id,
        prompt_key=first.prompt_key,
        at=first.at,
        project_id=first.project_id,
        shown=list(reversed(rows)),
    )


def _prompt_of(answer: GateDecision, prompts: list[PromptStory]) -> PromptStory:
    """The latest prompt before that tool call, or one without a key when there is none."""
    found = _latest_before(answer, prompts)
    if found is None:
        found = PromptStory(session_id=answer.session_id, prompt_key="", at=answer.at)
        prompts.append(found)
    return found


def _latest_before(answer: GateDecision, prompts: Iterable[PromptStory]) -> PromptStory | None:
    """Of the same session; the prompts stand newest first."""
    return next((row for row in prompts if row.session_id == answer.session_id and row.at <= answer.at), None)
