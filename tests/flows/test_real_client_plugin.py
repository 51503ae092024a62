"""The plugin in a real Claude Code: its hooks answer, and the settings stay as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.host import ACTION, MANAGE, RULE
from tests.flows.npm_client import NEWEST, REPOSITORY, installed_client
from tests.flows.real_client import Talk, run_talk
from tests.flows.test_real_client import NOTE, after_reading, environment_in, manage, turns

GATED = "I will force push this to the shared branch now, as a plugin"
SCRIPT = {"rules": turns(GATED, NOTE, after_reading(NOTE), "Written.")}


@pytest.fixture(scope="module", params=["2.1.112", NEWEST])
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    client = installed_client(request.param)
    folder = tmp_path_factory.mktemp("plugin")
    manage(folder, "add", *RULE)
    command = [sys.executable, str(MANAGE), "install", "--plugin"]
    subprocess.run(command, env=environment_in(folder), capture_output=True, check=True)
    settings = folder / "settings.json"
    settings.write_text("{}")
    return run_talk(
        client,
        settings=settings,
        script=SCRIPT,
        out=folder / "out",
        steps=["--arg", "--plugin-dir", "--arg", str(REPOSITORY), "-p", GATED],
        data_folder=folder / "data",
    )


def test_a_rule_reaches_the_model_and_the_gate_denies_once(talk: Talk) -> None:
    first, denied, passed = talk.tool_results(GATED)[:3]

    assert first == []
    assert ACTION in talk.requests(GATED)[0]
    assert denied[0]["is_error"]
    assert not passed[0].get("is_error")


def test_every_event_reached_its_hook(talk: Talk) -> None:
    stamps = Path(talk.folder.parent, "data", "stamps")

    assert {"session-start", "user-prompt-submit", "pre-tool-use", "session-end"} <= {p.name for p in stamps.iterdir()}
