"""Lifecycle: the states as a diagram, what is on its way to every project, maintenance with a button each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from nokori_site.lifecycle import lifecycle_page
from nokori_site.maintenance import MaintenanceBusy, maintain

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def lifecycle(request: HttpRequest) -> HttpResponse:
    page = lifecycle_page(settings.NOKORI_FOLDER, config=settings.NOKORI, now=timezone.now())
    return render(request, "nokori_site/lifecycle.html", {"page": page})


@require_POST
def run_now(request: HttpRequest) -> HttpResponse:
    """The scan that is named, or all of them."""
    name = request.POST.get("scan", "")
    try:
        reports = maintain(
            settings.NOKORI_FOLDER, config=settings.NOKORI, now=timezone.now(), only_due=False, name=name
        )
    except MaintenanceBusy:
        messages.warning(request, _("Maintenance is running already. Try again in a moment."))
        return redirect("lifecycle")
    for report in reports:
        if report.problem:
            messages.error(request, f"{report.scan}: {report.problem}")
    done = sum(sum(report.counts.values()) for report in reports)
    messages.success(
        request, _("Done: %(count)d changes.") % {"count": done} if done else _("Done: nothing to change.")
    )
    return redirect("lifecycle")
