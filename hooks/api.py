"""The agent's side in the API: what was shown and blocked, sessions, calls, failures, and what a prompt would meet."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from hooks.call_report import EventCost, event_costs
from hooks.explain import as_record, configured_lens, explain
from hooks.known_projects import KnownProject, known_projects
from hooks.models import AgentSession, GateDecision, HookCall, HookFailure
from hooks.records import call_record, failure_record, injection_record, story_record
from hooks.schemas import (
    CallFilter,
    EventCostOut,
    ExplanationOut,
    GateDecisionOut,
    GateFilter,
    HookCallOut,
    HookFailureOut,
    InjectionFilter,
    InjectionOut,
    ProjectOut,
    Prompt,
    SessionFilter,
    SessionOut,
    SessionStoryOut,
)
from hooks.timeline import InjectionWish, select_injections, tell_session, with_rules
from rules.paging import Page, PageWish, page_of

router = Router(tags=["hooks"])
Record = dict[str, Any]  # Any: the columns of a schema


@router.get("/injections", response=Page[InjectionOut])
def list_injections(request: HttpRequest, wish: Query[InjectionFilter], page: Query[PageWish]) -> Record:
    """What was written into agents' contexts, newest first."""
    return page_of(with_rules(select_injections(InjectionWish(**wish.dict()))), page, injection_record)


@router.get("/gate-decisions", response=Page[GateDecisionOut])
def list_gate_decisions(request: HttpRequest, wish: Query[GateFilter], page: Query[PageWish]) -> Record:
    rows = GateDecision.objects.filter(**{name: value for name, value in wish.dict().items() if value})
    return page_of(rows.order_by("-at", "-pk"), page, lambda row: row)


@router.get("/sessions", response=Page[SessionOut])
def list_sessions(request: HttpRequest, wish: Query[SessionFilter], page: Query[PageWish]) -> Record:
    """The sessions of agents, the most recently active first."""
    rows = AgentSession.objects.matching(host=wish.host, project_id=wish.project_id, is_open=wish.is_open)
    return page_of(rows.order_by("-last_activity", "-pk"), page, lambda row: row)


@router.get("/sessions/{path:session_id}", response=SessionStoryOut)
def show_session(request: HttpRequest, session_id: str) -> Record:
    """One session prompt by prompt: what was shown, what the gate did."""
    return story_record(tell_session(session_id))


@router.get("/hook-calls", response=Page[HookCallOut])
def list_hook_calls(request: HttpRequest, wish: Query[CallFilter], page: Query[PageWish]) -> Record:
    rows = HookCall.objects.filter(day__gte=_first_day(wish)).order_by("-day", "event", "host")
    return page_of(rows, page, call_record)


@router.get("/hook-costs", response=list[EventCostOut])
def list_hook_costs(request: HttpRequest, wish: Query[CallFilter]) -> list[EventCost]:
    """What the calls of each event cost, as the dashboard tells it."""
    return event_costs(_first_day(wish))


@router.get("/hook-failures", response=Page[HookFailureOut])
def list_hook_failures(request: HttpRequest, page: Query[PageWish]) -> Record:
    return page_of(HookFailure.objects.order_by("-at", "-pk"), page, failure_record)


@router.get("/projects", response=list[ProjectOut])
def list_projects(request: HttpRequest) -> list[KnownProject]:
    return known_projects()


@router.post("/retrieve", response=ExplanationOut)
def retrieve(request: HttpRequest, wish: Prompt) -> Record:
    """Which rules a prompt would meet and why; changes nothing."""
    wished = wish.dict()
    return as_record(explain(wished.pop("prompt"), folder=settings.NOKORI_FOLDER, lens=configured_lens(), **wished))


def _first_day(wish: CallFilter) -> date:
    return timezone.localdate() - timedelta(days=wish.days - 1)
