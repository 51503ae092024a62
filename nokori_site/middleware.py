"""The way in, from the outside inwards: names and origins, size, the cookie or the token, and CSRF on every write.

A request that does not pass is answered here, in the form of its kind: a page, or a problem as JSON below /api/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpResponse, HttpResponseForbidden
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext as _

from nokori_site.access import has_bearer, is_let_in, local_user
from nokori_site.refusals import Refusal, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    GetResponse = Callable[[HttpRequest], HttpResponseBase]

MAX_BODY_BYTES = 2_000_000  # a rule with every field full, as a form sends Chinese, has 1.5 million
ENTRANCE = "/enter/"
OTHER_SITES = ("cross-site", "same-site")  # another port of this machine is another program


class OutsideMiddleware:
    """Refuses names that are not ours, requests that another site's page sends, and huge bodies."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            host = request.get_host()
        except DisallowedHost:
            return HttpResponse("Nokori is not served under this name.", status=400, content_type="text/plain")
        if not _is_our_own(request, origin=f"{request.scheme}://{host}"):
            return HttpResponse("Another site sent this request.", status=403, content_type="text/plain")
        if _is_too_long(request):
            return HttpResponse("That is too much at once.", status=413, content_type="text/plain")
        return self.get_response(request)


class EveryWriteCsrfMiddleware(CsrfViewMiddleware):
    """Django's check, for every view whatever it says of itself; a Bearer is proof enough."""

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponseForbidden | None:
        if has_bearer(request.headers.get("Authorization", ""), settings.NOKORI_FOLDER):
            return None
        return super().process_view(request, _any_view, (), {})


class CookieMiddleware:
    """Lets nobody in without the cookie or the token, save through the entrance."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        folder = settings.NOKORI_FOLDER
        if has_bearer(request.headers.get("Authorization", ""), folder):
            request.user = local_user()
        elif request.path_info != ENTRANCE and not (is_let_in(request.session, folder) and request.user.is_staff):
            return refuse(request, _closed())
        return self.get_response(request)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django calls this view when a write does not prove that one of our pages sent it."""
    return refuse(
        request,
        Refusal(
            403,
            _("This form is too old"),
            _("The page that sent it was opened before the cookies changed. Nothing was changed."),
            _("Go back, load the page again and repeat what you did."),
        ),
    )


def _closed() -> Refusal:
    return Refusal(
        401,
        _("This page is closed"),
        _("Nokori shows your rules only to the browser that you opened with its link."),
        _("Run this in a terminal and follow the link that it prints:"),
        command="manage.py web",
    )


def _is_our_own(request: HttpRequest, *, origin: str) -> bool:
    sent = request.headers.get("Origin")
    if sent is not None and sent != origin:
        return False
    is_navigation = request.headers.get("Sec-Fetch-Mode") == "navigate" and request.method in ("GET", "HEAD")
    return is_navigation or request.headers.get("Sec-Fetch-Site") not in OTHER_SITES


def _is_too_long(request: HttpRequest) -> bool:
    length = request.META.get("CONTENT_LENGTH") or "0"
    return not length.isdecimal() or int(length) > MAX_BODY_BYTES


def _any_view(request: HttpRequest) -> HttpResponse:
    """Stands for a view that claims no exemption; never called."""
    return HttpResponse()
