"""The log stream of a real web process: lines are written at a steady rate, and ten pages tell how late each came."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol
from django.conf import settings

from nokori_site.benchmark.figures import Row

LINES_PER_SECOND = 2_000
PAGES = 10
SECONDS = 5
STEP_SECONDS = 0.01
LAG_SECONDS = 1.0  # the limit
GROWTH_MB = 60.0  # of the web process while it streams
START_SECONDS = 60.0
REST_SECONDS = 1.5  # for the last lines to arrive
PORT = 18_865  # the next free one is taken
LINK = re.compile(r"http://\S+/enter/\S+")
NUMBERED = re.compile(r"n(\d+) at (\d+\.\d+)$")
RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)


@dataclass
class Watched:
    """What one page saw: how many lines, how late each one was, how many it was told to have missed."""

    lines: int = 0
    missed: int = 0
    lags: list[float] = field(default_factory=list)

    def take(self, frame: dict[str, Any], *, now: float) -> None:
        self.missed += frame["missed"]
        for *_, text in frame["lines"]:
            if found := NUMBERED.search(text):
                self.lines += 1
                self.lags.append(now - float(found[2]))


class Page(WebSocketClientProtocol):  # type: ignore[misc]  # autobahn has no types
    """Answers each frame, as the real page does."""

    def __init__(self, watched: Watched) -> None:
        super().__init__()
        self._watched = watched

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803  autobahn's names
        self._watched.take(json.loads(payload), now=time.time())
        self.sendMessage(b"1")


def measure_log_stream(folder: Path, *, runs: int) -> list[Row]:
    """runs shortens it: fewer than usual write for one second alone."""
    seconds = SECONDS if runs >= SECONDS else 1
    logs = Path(settings.NOKORI_FOLDER.logs)
    logs.mkdir(parents=True, exist_ok=True)
    with _web_process() as (process, link):
        before = _resident_mb(process.pid)
        watched = asyncio.run(_watch(link, path=logs / "benchmark.log", seconds=seconds))
        growth = _resident_mb(process.pid) - before
    return [_row(watched, seconds=seconds, growth=growth)]


@contextmanager
def _web_process() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the link that it prints."""
    command = [sys.executable, str(settings.NOKORI_MANAGE), "web", "--no-browser", "--port", str(PORT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, _link(process)
        finally:
            process.terminate()


def _link(process: subprocess.Popen[str]) -> str:
    for line in process.stdout or ():
        if found := LINK.search(line):
            return found[0]
    raise WebNotStartedError("The web process ended before it printed its link.")


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


def _resident_mb(pid: int) -> float:
    """0 where the system does not tell."""
    try:
        found = RESIDENT.search(Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def _row(pages: list[Watched], *, seconds: int, growth: float) -> Row:
    lags = sorted(lag for page in pages for lag in page.lags)
    worst = lags[-1] if lags else float("inf")
    figures = {
        "lines each": min(page.lines for page in pages),
        "missed": max(page.missed for page in pages),
        "lag p50 s": lags[len(lags) // 2] if lags else worst,
        "lag worst s": worst,
        "MB grown": growth,
    }
    is_whole = figures["lines each"] == LINES_PER_SECOND * seconds
    target = f"lag <= {LAG_SECONDS:g} s, MB grown <= {GROWTH_MB:g}, every line"
    return Row(f"log stream, {PAGES} pages", figures, target, worst <= LAG_SECONDS and growth <= GROWTH_MB and is_whole)


class WebNotStartedError(Exception):
    """The pages could not be served."""
