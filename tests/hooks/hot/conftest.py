"""Hooks as real processes: the registered line, a payload on stdin, a data folder of the test's own."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hooks.hot.call import Call
from hooks.hot.events import HookEvent
from hooks.hot.published import load_published
from retrieval.lexical.packing import Background, pack
from retrieval.lexical.results import Document, Floors, Hit, Tier

MANAGE = Path(__file__).resolve().parents[3] / "manage.py"
SESSION = "00000000-0000-4000-8000-000000000001"
NOW = 1_796_000_000.0
FORCE_PUSH = {
    "rule_id": "a1b2c3d4-0000-4000-8000-000000000001",
    "short_id": "a1b2c3",
    "trigger": "Force pushing to a shared branch",
    "variants": ("git push --force",),
    "action": "Use --force-with-lease, or push to a new branch",
    "rationale": "a forced push overwrites the work of others",
}
LOCKFILE = {
    "rule_id": "d4e5f6a7-0000-4000-8000-000000000002",
    "short_id": "d4e5f6",
    "trigger": "Editing the lockfile by hand",
    "action": "Change package.json and run the package manager",
    "source_type": "solution",
}
FORCE_PROMPT = "I'll just git push --force this branch"
LOCKFILE_PROMPT = "I am editing the lockfile by hand"


class Finished:
    """What a hook process left behind."""

    def __init__(self, done):
        self.exit_code = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr

    @property
    def is_pass(self):
        return (self.exit_code, self.stdout, self.stderr) == (0, b"", b"")

    @property
    def reply(self):
        return json.loads(self.stdout)["hookSpecificOutput"] if self.stdout else {}

    @property
    def context(self):
        return self.reply.get("additionalContext", "")

    @property
    def deny_reason(self):
        return self.reply.get("permissionDecisionReason", "")


class OpenHook:
    """A hook process whose stdin the test writes to, part by part."""

    def __init__(self, event):
        self.read_end, self.write_end = os.pipe()
        self.process = subprocess.Popen(hook_line(event), stdin=self.read_end, stdout=subprocess.PIPE)
        os.close(self.read_end)

    def send(self, part):
        os.write(self.write_end, part)

    def end(self):
        """Its exit code and output; stdin is closed only afterwards."""
        answer, _ = self.process.communicate(timeout=60)
        os.close(self.write_end)
        return self.process.returncode, answer


def hook_line(event):
    return [sys.executable, "-I", "-S", str(MANAGE), "hook", event]


@pytest.fixture
def publish(data_folder):
    """publish(FORCE_PUSH, ...) writes the index as Django would, with a floor that any real match passes."""

    def write(*rules, floor=0.5):
        documents = [Document(**rule) for rule in rules]
        floors = Floors(short=floor, long=floor, rule_count=len(documents))
        data = pack(documents, background=Background(), floors=floors, change_counter=1)
        folder = Path(data_folder.published)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "rules.idx").write_bytes(data)

    return write


@pytest.fixture
def run_hook(data_folder, tmp_path):
    """run_hook("user-prompt-submit", prompt="...") as a process of its own; raw= sends these bytes instead."""

    def run(event, *, raw=None, env=None, **fields):
        payload = {"session_id": SESSION, "cwd": str(tmp_path), **fields}
        done = subprocess.run(
            hook_line(event),
            input=json.dumps(payload).encode() if raw is None else raw,
            capture_output=True,
            timeout=60,
            check=False,
            env={**os.environ, **(env or {})},
            cwd=tmp_path,
        )
        return Finished(done)

    return run


@pytest.fixture
def notes(data_folder):
    """notes("prompt") are the notes of that kind, in the order they were left."""

    def read(kind=None):
        paths = sorted(Path(data_folder.spool_new).glob("*.json"))
        every = [json.loads(path.read_bytes()) for path in paths]
        return [note for note in every if kind in (None, note["kind"])]

    return read


@pytest.fixture
def make_call(data_folder, tmp_path):
    """A call of a prompt in this process, for functions below the client."""

    def make(now=NOW, environ=None, **fields):
        values = {"event": "user-prompt-submit", "session_id": SESSION, "cwd": str(tmp_path)}
        published = load_published(data_folder, environ=environ or {})
        event = HookEvent(**values | fields)
        return Call(event, folder=data_folder, published=published, now=now, started=time.perf_counter())

    return make


def make_hit(tier=Tier.HOT, **changes):
    document = Document(**FORCE_PUSH | changes)
    return Hit(
        document, bm25=9.0, evidence=9.0, coverage=1.0, words=("git",), word_count=3, variant_hit=True, tier=tier
    )
