"""The log stream of a real web process: lines are written at a steady rate, and ten pages tell how late each came."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from nokori_site.benchmark.figures import Row
from nokori_site.benchmark.watched import LINES_PER_SECOND, PAGES, Watched

SECONDS = 5
LAG_SECONDS = 1.0  # the limit
GROWTH_MB = 60.0  # of the web process while it streams
PORT = 18_865  # the next free one is taken
LINK = re.compile(r"http://\S+/enter/\S+")
RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)


def measure_log_stream(folder: Path, *, runs: int) -> list[Row]:
    """runs shortens it: fewer than usual write for one second alone."""
    seconds = SECONDS if runs >= SECONDS else 1
    logs = Path(settings.NOKORI_FOLDER.logs)
    logs.mkdir(parents=True, exist_ok=True)
    with _web_process() as (process, link):
        before = _resident_mb(process.pid)
        watched = _watch(link, log=logs / "benchmark.log", seconds=seconds)
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


def _watch(link: str, *, log: Path, seconds: int) -> list[Watched]:
    command = [sys.executable, "-m", "nokori_site.benchmark.log_pages", link, str(log), str(seconds)]
    done = subprocess.run(command, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True, check=True)
    return [Watched(**page) for page in json.loads(done.stdout)]


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
