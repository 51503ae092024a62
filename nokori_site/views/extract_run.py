"""The button that starts an extraction: its process is the site's to start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from extraction.worker import ExtractRunning
from nokori_site.extraction_start import start_by_hand

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_POST
def run_extraction(request: HttpRequest) -> HttpResponse:
    try:
        is_started = start_by_hand(settings.NOKORI_FOLDER)
    except (ExtractRunning, OSError):
        messages.warning(request, _("It was not started: an extraction is at work already, or the system refused."))
    else:
        told = _("Started; this page follows it.") if is_started else _("Starting processes is switched off here.")
        messages.success(request, told)
    return redirect("extract")
