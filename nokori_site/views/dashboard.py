"""The dashboard: what happened, and what needs you?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.shortcuts import render
from django.utils import timezone

from nokori_site.activity import PERIODS
from nokori_site.charts import draw
from nokori_site.dashboard import look_at

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from retrieval.embeddings.control import EmbedStatus

START_SECONDS = 15  # in which a process that starts has said so
MOST_DIGITS = 12


def dashboard(request: HttpRequest) -> HttpResponse:
    wish = request.GET.get("period", "")
    overview = look_at(settings.NOKORI_FOLDER, config=settings.NOKORI, period_name=wish, now=timezone.now())
    context = {
        "overview": overview,
        "chart": draw(overview.activity.columns),
        "periods": PERIODS,
        "is_awaited": _is_awaited(request.GET.get("awaited", ""), overview.embedding.server),
    }
    return render(request, "nokori_site/dashboard.html", context)


def _is_awaited(since: str, server: EmbedStatus) -> bool:
    """A server that was started at that second and is not there yet; a page that is reloaded later awaits nobody."""
    was_just_started = since.isdecimal() and 0 <= time.time() - int(since[:MOST_DIGITS]) < START_SECONDS
    return was_just_started and not (server.is_up or server.problem)
