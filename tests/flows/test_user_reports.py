"""Public reports of what went wrong in tools of this kind, as whole hook processes. Each name carries its report's id."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.flows.host import ACTION, MANAGE, RULE, TRIGGER, fire

NO_NETWORK = ["unshare", *([] if os.getuid() == 0 else ["-r"]), "-n"]
SLOW_SETTLE = "import pathlib, time; time.sleep(2); pathlib.Path({done!r}).touch()"
PATIENCE_SECONDS = 30


@pytest.fixture
def folder(data_folder) -> Path:
    """A data folder with one gating rule, published."""
    for command in (["add", *RULE], ["settle"]):
        subprocess.run([sys.executable, str(MANAGE), *command], check=True, capture_output=True)
    return Path(data_folder.root)


def test_nb054_no_hook_needs_a_network(folder):
    if (
        shutil.which("unshare") is None
        or subprocess.run([*NO_NETWORK, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("this machine allows no network namespaces")

    started = fire("SessionStart", around=NO_NETWORK, source="startup")
    reminded = fire("UserPromptSubmit", around=NO_NETWORK, prompt=TRIGGER)
    denied = fire("PreToolUse", around=NO_NETWORK, tool_name="Bash", tool_input={"command": "git push -f"})
    ended = fire("SessionEnd", around=NO_NETWORK, reason="other")

    assert started.is_pass
    assert ACTION in reminded.part("additionalContext")
    assert denied.part("permissionDecision") == "deny"
    assert ended.is_pass


def test_nb058_a_session_start_does_not_wait_for_what_it_starts(folder, tmp_path, monkeypatch):
    done, program = tmp_path / "done", tmp_path / "slow_settle.py"
    program.write_text(SLOW_SETTLE.format(done=str(done)))
    config = folder / "published" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "manage": str(program)}))
    monkeypatch.delenv("NOKORI_NO_SPAWN")

    answer = fire("SessionStart", source="startup")
    was_done_when_answered = done.exists()
    wait_for(done)

    assert answer.is_pass
    assert not was_done_when_answered


def wait_for(path: Path) -> None:
    """Raises TimeoutError when the file does not come."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(0.1)
