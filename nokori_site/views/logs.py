"""Logs: what happens now? The lines come over a websocket; without scripts the newest ones stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.shortcuts import render

from nokori_site.log_reading import latest

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

LINES = 200
LEVELS = ("debug", "info", "warn", "error")


def logs(request: HttpRequest) -> HttpResponse:
    context = {
        "lines": latest(settings.NOKORI_FOLDER, count=LINES),
        "levels": LEVELS,
        "log_level": settings.NOKORI.log_level,
    }
    return render(request, "nokori_site/logs.html", context)
