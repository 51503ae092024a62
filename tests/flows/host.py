"""A host as far as hooks can tell: it starts one process per event, feeds it a payload and reads the answer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"
SESSION = "6a1f0c2e-6c1b-4f0e-8f43-0c9f5d1e2b77"
EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "PreToolUse": "pre-tool-use",
    "SessionEnd": "session-end",
}
TRIGGER = "Force pushing to a shared branch"
ACTION = "Use --force-with-lease, or push to a new branch"
RULE = ("--trigger", TRIGGER, "--action", ACTION, "--source-type", "correction", "--confidence", "high")
SECONDS = 60


@dataclass(frozen=True)
class Answer:
    """What one hook process said."""

    exit_code: int
    out: str
    err: str

    @property
    def is_pass(self) -> bool:
        return (self.exit_code, self.out, self.err) == (0, "", "")

    @property
    def is_sound(self) -> bool:
        """A pass, or one JSON object; nothing that a client would show or hand on as text."""
        return self.is_pass or (self.exit_code == 0 and not self.err and isinstance(json.loads(self.out), dict))

    def part(self, name: str) -> str:
        return str(json.loads(self.out)["hookSpecificOutput"].get(name, "")) if self.out else ""


def payload(event: str, **fields: Any) -> bytes:
    common = {"session_id": SESSION, "transcript_path": "/nowhere/session.jsonl", "cwd": "/", "hook_event_name": event}
    return json.dumps({**common, **fields}).encode()


def command(event: str) -> list[str]:
    return [sys.executable, "-I", "-S", str(MANAGE), "hook", EVENTS.get(event, event)]


def fire(event: str, raw: bytes | None = None, *, around: Sequence[str] = (), **fields: Any) -> Answer:
    """Runs one hook with a payload of these fields, or with `raw`; `around` is a command that starts the command."""
    stdin = payload(event, **fields) if raw is None else raw
    done = subprocess.run([*around, *command(event)], input=stdin, capture_output=True, timeout=SECONDS, check=False)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def start(event: str, **fields: Any) -> subprocess.Popen[bytes]:
    """The same, running; its answer is read with `finish`."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command(event), stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin is not None
    process.stdin.write(payload(event, **fields))
    process.stdin.close()
    process.stdin = None
    return process


def finish(process: subprocess.Popen[bytes]) -> Answer:
    out, err = process.communicate(timeout=SECONDS)
    return Answer(process.returncode, out.decode(), err.decode())
