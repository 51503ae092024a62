"""Answers that say no: what happened, what it means, what to do; a page in a browser, a problem as JSON below /api/."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from django.http import HttpRequest

API = "/api/"


@dataclass(frozen=True)
class Refusal:
    """One answer that says no. command: what to type, if anything helps."""

    status: int
    title: str
    detail: str
    remedy: str = ""
    command: str = ""


def refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    if request.path_info.startswith(API):
        return _problem(refusal)
    page = render_to_string("nokori_site/refusal.html", {"refusal": refusal}, request=request)
    return HttpResponse(page, status=refusal.status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404."""
    title, detail = _("There is no such page"), _("The address leads nowhere, or what it named is gone.")
    return refuse(request, Refusal(404, title, detail, _("Take one of the entries of the menu.")))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400."""
    title, detail = _("This request cannot be understood"), _("Something in it is not as a browser sends it.")
    return refuse(request, Refusal(400, title, detail))


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500; the traceback is in logs/web.log."""
    title, detail = _("Nokori made a mistake"), _("The page could not be made. Your rules and hooks are not touched.")
    return refuse(request, Refusal(500, title, detail, _("The log says what happened:"), command="manage.py logs"))


def _problem(refusal: Refusal) -> HttpResponse:
    body = {
        "type": "about:blank",
        "title": refusal.title,
        "status": refusal.status,
        "detail": " ".join(filter(None, (refusal.detail, refusal.remedy, refusal.command))),
    }
    return JsonResponse(body, status=refusal.status, content_type="application/problem+json")
