"""Config: what holds, where it comes from, and is all well?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from filelock import Timeout

from nokori_site.config_editing import ConfigRefused, change_settings, take_effect
from nokori_site.config_report import by_section, problems, report
from nokori_site.health import examine, worst

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def config(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        _change(request)
        return redirect("config")
    context = {
        "sections": by_section(report(settings.NOKORI_FOLDER, environ=os.environ)),
        "problems": problems(os.environ),
        "file": settings.NOKORI_FOLDER.config_toml,
    }
    return render(request, "nokori_site/config.html", context)


def health(request: HttpRequest) -> HttpResponse:
    """A part of the page by itself: an endpoint that is asked may take its time."""
    findings = examine(settings.NOKORI_FOLDER, config=settings.NOKORI, now=timezone.now())
    context = {"findings": findings, "worst": worst(findings)}
    return render(request, "nokori_site/_health.html", context)


def _change(request: HttpRequest) -> None:
    name = request.POST.get("name", "")
    value = None if "reset" in request.POST else request.POST.get("value", "")
    try:
        changed = change_settings(settings.NOKORI_FOLDER, {name: value})
    except (ConfigRefused, OSError, Timeout) as refused:
        messages.error(request, str(refused))
        return
    take_effect(os.environ)
    told = _("Saved %(name)s.") if changed else _("%(name)s says that already.")
    messages.success(request, told % {"name": name})
