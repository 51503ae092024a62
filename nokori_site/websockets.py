"""Websockets: their routes, and the guard before them that lets in what the pages' own guard would let in.

A socket of another site, under a name that is not ours, or without the cookie is closed before anything listens.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.urls import path

from nokori_site.access import is_let_in
from nokori_site.log_stream import LogConsumer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence

    from django.urls import URLPattern

    Message: TypeAlias = MutableMapping[str, Any]  # ASGI's own form
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Application = Callable[[Message, Receive, Send], Awaitable[None]]

REFUSED = 4403  # a close code of ours, after HTTP's 403
websocket_routes: list[URLPattern] = [path("ws/logs/", LogConsumer.as_asgi())]


class GuardedWebsocket:
    """Passes on what may come in; closes the rest."""

    def __init__(self, application: Application, routes: Sequence[URLPattern]) -> None:
        self._application = application
        self._paths = [route.pattern for route in routes]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        is_known = any(pattern.match(scope["path"].lstrip("/")) for pattern in self._paths)
        if is_known and _is_our_own(_headers(scope)) and await sync_to_async(_is_let_in)(_headers(scope)):
            await self._application(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": REFUSED})


def _headers(scope: Message) -> Mapping[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _is_our_own(headers: Mapping[str, str]) -> bool:
    host = headers.get("host", "")
    is_ours = validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)
    return is_ours and headers.get("origin") == f"http://{host}"


def _is_let_in(headers: Mapping[str, str]) -> bool:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return False
    crumb = cookies.get(settings.SESSION_COOKIE_NAME)
    session = import_module(settings.SESSION_ENGINE).SessionStore(crumb.value if crumb else None)
    return is_let_in(session, settings.NOKORI_FOLDER)
