"""The entrance: a link that opens once, or the token that is typed in, is traded for the cookie; another keeps the theme."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from nokori_site.access import is_let_in, is_token, let_in, links
from nokori_site.frame import THEME_COOKIE, THEMES
from nokori_site.refusals import Refusal, refuse
from rules.way_back import way_back


@require_http_methods(["GET", "POST"])
def enter(request: HttpRequest) -> HttpResponse:
    """A link opens once; a token that is typed in opens each time, for who knows it can read the data folder."""
    if is_let_in(request.session, settings.NOKORI_FOLDER):
        return redirect("dashboard")
    if request.method == "GET" and not links.redeem(request.GET.get("once", "")):
        return refuse(request, _used_link())
    if request.method == "POST" and not is_token(request.POST.get("token", "").strip(), settings.NOKORI_FOLDER):
        return refuse(request, _wrong_token())
    let_in(request, settings.NOKORI_FOLDER)
    return redirect("dashboard")


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    theme = request.POST.get("theme", "")
    response = way_back(request, otherwise="dashboard")
    if theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, max_age=settings.YEAR_SECONDS, samesite="Lax")
    return response


def _wrong_token() -> Refusal:
    return Refusal(
        403,
        _("This token does not open anything"),
        _("It is not the one of this data folder."),
        _("Run this in a terminal and follow the link that it prints:"),
        command="manage.py web",
    )


def _used_link() -> Refusal:
    return Refusal(
        403,
        _("This link was used before"),
        _("Each link opens one browser, once."),
        _("Run this in a terminal and follow the new link:"),
        command="manage.py web",
    )
