import asyncio

import pytest
from django.test import Client
from django.urls import path

from nokori_site.access import links
from nokori_site.websockets import REFUSED, GuardedWebsocket

pytestmark = pytest.mark.django_db
OURS = "http://127.0.0.1:8765"


@pytest.fixture
def cookie():
    browser = Client()
    browser.get(links.issue(""))
    return browser.cookies["nokori_session"].value


async def accept(scope, receive, send):
    await send({"type": "websocket.accept"})


def answer(*, origin=OURS, host="127.0.0.1:8765", cookie="", where="/ws/logs/"):
    """What a socket that asks for this is told."""
    headers = [(b"host", host.encode()), (b"cookie", f"nokori_session={cookie}".encode())]
    headers += [(b"origin", origin.encode())] if origin else []
    told = []

    async def send(message):
        told.append(message)

    async def receive():
        return {"type": "websocket.connect"}

    guard = GuardedWebsocket(accept, [path("ws/logs/", accept)])
    asyncio.run(guard({"type": "websocket", "path": where, "headers": headers}, receive, send))
    return told


def test_a_socket_of_our_own_page_comes_in(cookie):
    assert answer(cookie=cookie) == [{"type": "websocket.accept"}]


@pytest.mark.parametrize(
    "wish",
    [
        pytest.param({"origin": "http://evil.example"}, id="another site"),
        pytest.param({"origin": "http://127.0.0.1:3000"}, id="another port"),
        pytest.param({"origin": "null"}, id="a sandbox"),
        pytest.param({"origin": ""}, id="no browser"),
        pytest.param({"host": "evil.example", "origin": "http://evil.example"}, id="a foreign name"),
        pytest.param({"where": "/ws/nowhere/"}, id="no such socket"),
        pytest.param({"cookie": ""}, id="no cookie"),
        pytest.param({"cookie": "forged:1:x"}, id="a forged cookie"),
    ],
)
def test_any_other_socket_is_closed_before_anything_listens(cookie, wish):
    assert answer(**{"cookie": cookie, **wish}) == [{"type": "websocket.close", "code": REFUSED}]
