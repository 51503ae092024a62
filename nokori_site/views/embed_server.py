"""The dashboard's buttons for the embed server: start it, stop it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from hooks.hot.spawn import spawn_embed_server
from retrieval.embeddings import control

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_POST
def control_embed_server(request: HttpRequest) -> HttpResponse:
    """After a start the dashboard looks again until the server is there: its process takes a moment to come up."""
    if request.POST.get("do") == "stop":
        _stop(request)
        return redirect("dashboard")
    wish = f"?awaited={int(time.time())}" if _start(request) else ""
    return redirect(f"{reverse('dashboard')}{wish}")


def _start(request: HttpRequest) -> bool:
    folder = settings.NOKORI_FOLDER
    if control.status(folder).is_up:
        messages.info(request, _("The embed server runs already."))
    elif control.start(folder, spawn=spawn_embed_server):
        messages.success(request, _("The embed server starts."))
        return True
    else:
        messages.error(request, _("No process can be started here (NOKORI_NO_SPAWN is set)."))
    return False


def _stop(request: HttpRequest) -> None:
    try:
        was_there = control.stop(settings.NOKORI_FOLDER)
    except control.ServerNotEnded as problem:
        messages.error(request, str(problem))
        return
    words = _("The embed server has ended.") if was_there else _("No embed server runs.")
    messages.success(request, words)
