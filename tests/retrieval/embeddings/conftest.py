"""Embed servers as processes of their own, in a data folder of the test's own; each is ended with its test."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from retrieval.embeddings import control
from retrieval.lexical.embed_client import ask

SCRIPT = Path(__file__).with_name("fake_server.py")
PATIENCE_SECONDS = 60


def until(is_true, *, seconds=PATIENCE_SECONDS):
    """Waits for it; the time is for a busy machine."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


class Servers:
    def __init__(self, folder):
        self.folder = folder
        self._processes = []

    def start(self, **knobs):
        """Without waiting for anything."""
        environment = {**os.environ, "FAKE": json.dumps(knobs)}
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), "embed", "serve"], env=environment, stderr=subprocess.PIPE, text=True
        )
        self._processes.append(process)
        return process

    def run(self, **knobs):
        """Until it is ready."""
        process = self.start(**knobs)
        self.wait_until_ready()
        return process

    def wait_until_ready(self):
        until(lambda: self.status().state == "ready")

    def run_indexed(self, **knobs):
        """Until every published rule has its vectors, and the floors are there."""
        process = self.run(**knobs)
        until(lambda: not self.status().is_indexing)
        return process

    def status(self):
        return control.status(self.folder)

    def ask(self, prompt, *, project_id="", version="0.1.0", wait_ms=30_000):
        return ask(prompt, folder=self.folder, project_id=project_id, version=version, wait_ms=wait_ms)

    def end_all(self):
        for process in self._processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate()


@pytest.fixture
def servers(data_folder):
    running = Servers(data_folder)
    yield running
    running.end_all()


@pytest.fixture
def add_rules(run_manage, tmp_path):
    """add_rules({"trigger": ..., "action": ...}, ...) as `import` does, from a process of its own."""

    def add(*rules):
        path = tmp_path / f"rules-{time.monotonic_ns()}.json"
        path.write_text(
            json.dumps({"format": "nokori-export", "version": 5, "rules": [_record(**rule) for rule in rules]})
        )
        done = run_manage("import", str(path))
        assert done.returncode == 0, done.stderr

    return add


def rule_id(trigger, project_id=""):
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{project_id} {trigger}"))


def _record(*, trigger, action="Do it with care", status="active", project_id="", **more):
    key = rule_id(trigger, project_id)
    return {
        "id": key,
        "short_id": key.replace("-", "")[:12],
        "trigger_text": trigger,
        "action": action,
        "status": status,
        "source_type": "correction",
        "confidence": "high",
        "project_scope": "project" if project_id else "global",
        "project_id": project_id,
        **more,
    }
