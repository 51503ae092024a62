"""The dashboard: what happened, and what needs you?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.shortcuts import render
from django.utils import timezone

from nokori_site.activity import PERIODS
from nokori_site.charts import draw
from nokori_site.dashboard import look_at

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def dashboard(request: HttpRequest) -> HttpResponse:
    wish = request.GET.get("period", "")
    overview = look_at(settings.NOKORI_FOLDER, config=settings.NOKORI, period_name=wish, now=timezone.now())
    server = overview.embedding.server
    context = {
        "overview": overview,
        "chart": draw(overview.activity.columns),
        "periods": PERIODS,
        "is_awaited": "awaited" in request.GET and not (server.is_up or server.problem),
    }
    return render(request, "nokori_site/dashboard.html", context)
