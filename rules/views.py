"""The rule pages: a list to search and filter, one rule with its past, a form, moves and their undoing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from rules.authoring import add_rule, edit_rule, find_rule, move_by_hand
from rules.drafts import RuleDraft
from rules.facets import count_facets, offered_projects
from rules.forms import RuleEditForm, RuleForm
from rules.lifecycle import Mover, Scope, SourceType, Status, moves_by_hand
from rules.models import Rule
from rules.moving import move_named, take_back_named
from rules.refusals import RuleRefused
from rules.selection import NEWEST, SORTS, RuleWish, select_rules
from rules.story import tell
from rules.way_back import way_back

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

PAGE_ROWS = 40
LISTED = (
    *("short_id", "trigger", "action", "source_type", "confidence", "status", "project_scope", "project_id"),
    *("hit_count", "last_hit", "updated_at"),
)
MAX_TEXT = 200  # characters of a search


def list_rules(request: HttpRequest) -> HttpResponse:
    wish = _wish(request)
    facets = count_facets(wish)
    paginator = Paginator(select_rules(wish).only(*LISTED), PAGE_ROWS)
    paginator.count = facets.found
    context = {
        "wish": wish,
        "facets": facets,
        "projects": offered_projects(facets, wish.project_id),
        "page": paginator.get_page(request.GET.get("page")),
        "kept": [(name, word) for name, word in request.GET.items() if name not in ("text", "page")],
        "is_wished": wish != RuleWish(sort=wish.sort),
    }
    return render(request, "rules/list.html", context)


def show(request: HttpRequest, name: str) -> HttpResponse:
    rule = _rule_or_404(name)
    context = {"rule": rule, "story": tell(rule), "moves": moves_by_hand(rule.status)}
    return render(request, "rules/detail.html", context)


def add(request: HttpRequest) -> HttpResponse:
    form = RuleForm(request.POST or None, initial={"confidence": "high"})
    if request.method == "POST" and form.is_valid():
        rule = add_rule(RuleDraft(**form.cleaned_data), by=Mover.PAGE, now=timezone.now())
        messages.success(request, _("Added %(name)s.") % {"name": rule.short_id})
        return redirect("rule", rule.short_id)
    return render(request, "rules/form.html", {"form": form, "projects": Rule.objects.project_ids()})


def edit(request: HttpRequest, name: str) -> HttpResponse:
    """With ?accept=1 the rule is a candidate that comes into use when it is saved."""
    rule = _rule_or_404(name)
    form = RuleEditForm(request.POST or None, instance=rule)
    is_accepting = request.GET.get("accept") == "1" and rule.status == Status.CANDIDATE
    if request.method == "POST" and form.is_valid():
        _save(request, name=rule.short_id, form=form, is_accepting=is_accepting)
        return redirect("review") if is_accepting else redirect("rule", rule.short_id)
    return render(request, "rules/form.html", {"form": form, "rule": rule, "is_accepting": is_accepting})


@require_POST
def move_many(request: HttpRequest) -> HttpResponse:
    target = request.POST.get("to", "")
    if target not in (Status.ACTIVE, Status.DORMANT, Status.ARCHIVED):
        raise Http404(target)
    report = move_named(request.POST.getlist("rules"), Status(target), by=Mover.PAGE, now=timezone.now())
    for problem in report.problems:
        messages.error(request, problem)
    if report.moved:
        undo_names = ",".join(report.moved) if target == Status.ARCHIVED else ""
        messages.success(request, _moved(Status(target), report.moved), extra_tags=undo_names)
    return way_back(request, otherwise="rules")


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    names = request.POST.get("rules", "").split(",")
    report = take_back_named(names, by=Mover.PAGE, now=timezone.now())
    for problem in report.problems:
        messages.error(request, problem)
    if report.moved:
        messages.success(request, _("Taken back: %(names)s.") % {"names": ", ".join(report.moved)})
    return way_back(request, otherwise="rules")


def _save(request: HttpRequest, *, name: str, form: RuleEditForm, is_accepting: bool) -> None:
    changed = edit_rule(find_rule(name), form.changed_words(), now=timezone.now())
    if is_accepting:
        move_by_hand(find_rule(name), Status.ACTIVE, by=Mover.PAGE, now=timezone.now())
        messages.success(request, _("%(name)s is in use.") % {"name": name})
    elif changed:
        messages.success(request, _("Saved %(name)s.") % {"name": name})
    else:
        messages.info(request, _("Nothing was changed."))


def _moved(target: Status, names: list[str]) -> str:
    words = {
        Status.ACTIVE: ngettext("%(names)s is in use.", "%(count)d rules are in use.", len(names)),
        Status.DORMANT: ngettext("%(names)s is laid to rest.", "%(count)d rules are laid to rest.", len(names)),
        Status.ARCHIVED: ngettext("Dismissed %(names)s.", "Dismissed %(count)d rules.", len(names)),
    }
    return words[target] % {"names": names[0], "count": len(names)}


def _wish(request: HttpRequest) -> RuleWish:
    """What cannot be wished for is no wish."""
    wish = request.GET

    def one_of(name: str, words: tuple[str, ...]) -> str:
        return wish.get(name, "") if wish.get(name) in words else ""

    return RuleWish(
        text=wish.get("text", "").strip()[:MAX_TEXT],
        status=one_of("status", tuple(Status)),
        source_type=one_of("source_type", tuple(SourceType)),
        scope=one_of("scope", tuple(Scope)),
        project_id=wish.get("project_id", "")[:MAX_TEXT],
        sort=one_of("sort", SORTS) or NEWEST,
    )


def _rule_or_404(name: str) -> Rule:
    try:
        return find_rule(name)
    except RuleRefused as refused:
        raise Http404(refused.said(_)) from refused
