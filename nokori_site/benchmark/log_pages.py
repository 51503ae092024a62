"""Ten pages that look at the log stream while lines are written: `python -m nokori_site.benchmark.log_pages LINK LOG SECONDS`.

Prints what each page saw, as JSON. A process of its own: its websocket client and the web process's server, both parts of
autobahn, cannot be loaded into one.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol

from nokori_site.benchmark.watched import LINES_PER_SECOND, PAGES, Watched

STEP_SECONDS = 0.01
START_SECONDS = 60.0
REST_SECONDS = 1.5  # for the last lines to arrive


class Page(WebSocketClientProtocol):  # type: ignore[misc]  # autobahn has no types
    """Answers each frame, as the real page does."""

    def __init__(self, watched: Watched) -> None:
        super().__init__()
        self._watched = watched

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803  autobahn's names
        self._watched.take(json.loads(payload), now=time.time())
        self.sendMessage(b"1")


async def _watch(link: str, *, path: Path, seconds: int) -> list[Watched]:
    place = urlsplit(link)
    cookie = await asyncio.to_thread(_cookie, link)
    pages = [Watched() for _ in range(PAGES)]
    loop = asyncio.get_running_loop()
    sockets = []
    for watched in pages:
        factory = WebSocketClientFactory(
            f"ws://{place.netloc}/ws/logs/", origin=f"http://{place.netloc}", headers={"Cookie": cookie}
        )
        factory.protocol = partial(Page, watched)
        transport, _ = await loop.create_connection(factory, place.hostname or "", place.port or 0)
        sockets.append(transport)
    await asyncio.sleep(1)
    await asyncio.to_thread(_write, path, seconds=seconds)
    await asyncio.sleep(REST_SECONDS)
    for transport in sockets:
        transport.close()
    return pages


def _cookie(link: str) -> str:
    """What the link sets; the process may still be starting."""
    place = urlsplit(link)
    deadline = time.monotonic() + START_SECONDS
    while True:
        connection = http.client.HTTPConnection(place.netloc, timeout=10)
        try:
            connection.request("GET", f"{place.path}?{place.query}")
            answer = connection.getresponse()
            crumbs = answer.headers.get_all("Set-Cookie") or []
            return "; ".join(crumb.partition(";")[0] for crumb in crumbs)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        finally:
            connection.close()


def _write(path: Path, *, seconds: int) -> None:
    start, total = time.monotonic(), LINES_PER_SECOND * seconds
    written = 0
    with path.open("a", encoding="utf-8", buffering=1) as file:
        while written < total:
            due = min(total, int((time.monotonic() - start) * LINES_PER_SECOND))
            now = time.time()
            moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
            file.writelines(
                f"{moment} INFO benchmark [s] [diag] event=user-prompt-submit n{number} at {now:.4f}\n"
                for number in range(written, due)
            )
            written = due
            time.sleep(STEP_SECONDS)


if __name__ == "__main__":
    link, log, seconds = sys.argv[1:]
    seen = asyncio.run(_watch(link, path=Path(log), seconds=int(seconds)))
    sys.stdout.write(json.dumps([asdict(page) for page in seen]))
