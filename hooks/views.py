"""Two pages of the agent's side: Retrieve (why this rule?) and Injections (what did the agent see?)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import render

from hooks.explain import configured_lens, explain
from hooks.forms import InjectionForm, PromptForm
from hooks.known_projects import latest_project, project_choices
from hooks.ranking import RankingPage, ranking_page
from hooks.timeline import (
    MOST_COUNTED,
    InjectionWish,
    SessionUnknown,
    at_hand,
    count_levels,
    select_injections,
    tell_prompts,
    tell_session,
)
from retrieval.lexical.segment import IndexUnreadable

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

PAGE_ROWS = 30


def retrieve(request: HttpRequest) -> HttpResponse:
    asked = request.POST if request.method == "POST" else request.GET
    form = PromptForm(asked if "prompt" in asked else None, initial={"project": latest_project()})
    context: dict[str, object] = {"form": form}
    if form.is_bound and form.is_valid():
        try:
            context["ranking"] = _ranked(form.cleaned_data)
        except IndexUnreadable as error:
            context["problem"] = str(error)
    return render(request, "hooks/retrieve.html", context)


def injections(request: HttpRequest) -> HttpResponse:
    wish = _wish(request)
    levels = count_levels(wish)
    paginator = Paginator(select_injections(wish).values_list("pk", flat=True), PAGE_ROWS)
    paginator.count = levels.wished
    page = paginator.get_page(request.GET.get("page"))
    context = {
        "wish": wish,
        "levels": levels,
        "most": MOST_COUNTED,
        "projects": project_choices(),
        "page": page,
        "prompts": tell_prompts(at_hand(list(page.object_list))),
        "kept": [("level", wish.level)] if wish.level else [],
        "is_wished": wish != InjectionWish(),
    }
    return render(request, "hooks/injections.html", context)


def session(request: HttpRequest, session_id: str) -> HttpResponse:
    try:
        story = tell_session(session_id)
    except SessionUnknown as error:
        raise Http404(str(error)) from error
    return render(request, "hooks/session.html", {"story": story})


def _ranked(asked: dict[str, Any]) -> RankingPage:
    """Any: the values of a form."""
    lens = configured_lens()
    explanation = explain(
        asked["prompt"],
        folder=settings.NOKORI_FOLDER,
        project_id=asked["project"],
        lens=lens,
        by_words_alone=asked["by_words_alone"],
    )
    return ranking_page(explanation, budget_chars=lens.budget_chars, is_gate_on=lens.is_gate_on)


def _wish(request: HttpRequest) -> InjectionWish:
    form = InjectionForm(request.GET)
    form.is_valid()
    said = {name: form.cleaned_data.get(name, "").replace("\x00", "") for name in form.fields}
    return InjectionWish(level=said["level"], session_id=said["session"], rule=said["rule"], project_id=said["project"])
