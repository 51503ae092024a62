"""Review: is this lesson right? One candidate at a time, with its quote, its context and the nearest rules in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from nokori_site.review import review_of
from rules.lifecycle import Mover, Status
from rules.moving import move_named
from rules.way_back import way_back

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

DECISIONS = {"accept": Status.ACTIVE, "reject": Status.ARCHIVED}


def review(request: HttpRequest, name: str = "") -> HttpResponse:
    """Without a name: the candidate that came last."""
    found = review_of(name, folder=settings.NOKORI_FOLDER)
    if found is None and name:
        return redirect("review")
    return render(request, "nokori_site/review.html", {"review": found})


@require_POST
def decide(request: HttpRequest, name: str) -> HttpResponse:
    target = DECISIONS.get(request.POST.get("decision", ""))
    if target is None:
        raise Http404
    report = move_named([name], target, by=Mover.PAGE, now=timezone.now())
    for problem in report.problems:
        messages.error(request, problem)
    for moved in report.moved:
        is_rejected = target == Status.ARCHIVED
        text = _("Rejected %(name)s.") if is_rejected else _("%(name)s is in use.")
        messages.success(request, text % {"name": moved}, extra_tags=moved if is_rejected else "")
    return way_back(request, otherwise="review")
