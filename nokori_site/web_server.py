"""The web process: daphne with pages and log stream, and a thread that settles each second.

An address comes in; the process serves until Ctrl-C. A body that is longer than any form of ours is cut off while it
comes in.
"""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

from daphne.endpoints import build_endpoint_description_strings
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.server import Server
from django.db import connections

from nokori_site.middleware import MAX_BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PORTS_TRIED = 50
LARGEST_PORT = 65535
SETTLE_EVERY_SECONDS = 1.0
TOO_LONG = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class NoFreePort(Exception):
    """Every port that was tried is taken, or the address is not one of this machine."""


class BoundedRequest(WebRequest):  # type: ignore[misc]  # daphne has no types
    """A request whose body is bounded while it arrives, before anything of it is kept."""

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802  Twisted's name
        if self.content.tell() + len(data) > MAX_BODY_BYTES:
            self.channel.transport.write(TOO_LONG)
            self.channel.transport.loseConnection()
            self.channel.setRawMode()
            return
        super().handleContentChunk(data)


def first_free_port(host: str, wanted: int) -> int:
    """The wanted port or the next one that nobody listens on. Raises NoFreePort."""
    problem: OSError | None = None
    for port in range(wanted, min(wanted + PORTS_TRIED, LARGEST_PORT + 1)):
        try:
            _probe(host, port)
        except OSError as error:
            problem = error
        else:
            return port
    raise NoFreePort(f"{host} has no free port from {wanted} on: {problem.strerror if problem else 'out of range'}.")


def serve(application: Any, *, host: str, port: int, when_ready: Callable[[], None]) -> None:
    """Serves until the process is told to end (Ctrl-C, SIGTERM)."""
    endpoints = build_endpoint_description_strings(host=host, port=port)
    server = Server(application, endpoints=endpoints, server_name="Nokori", websocket_connect_timeout=5)

    def ready() -> None:
        _bound_bodies(server.http_factory)
        when_ready()

    server.ready_callable = ready
    server.run()


def settle_each_second(settle: Callable[[], object]) -> Callable[[], None]:
    """Calls it once a second in a thread of its own; what is returned ends the thread."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            settle()
            connections.close_all()  # the file may be another one next time: `reset` moves it away
            is_over.wait(SETTLE_EVERY_SECONDS)

    thread = threading.Thread(target=work, name="settle", daemon=True)
    thread.start()

    def end() -> None:
        is_over.set()
        thread.join(timeout=5)

    return end


def _bound_bodies(factory: HTTPFactory) -> None:
    build = factory.buildProtocol

    def build_bounded(address: Any) -> Any:
        protocol = build(address)
        protocol.requestFactory = BoundedRequest
        return protocol

    factory.buildProtocol = build_bounded


def _probe(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        probe.listen(1)
