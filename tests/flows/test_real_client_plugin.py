"""The plugin in a real Claude Code: its hooks answer, alone and beside the same hooks in the settings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.host import ACTION, MANAGE, RULE
from tests.flows.npm_client import NEWEST, REPOSITORY, installed_client
from tests.flows.real_client import Talk, run_talk
from tests.flows.test_real_client import NOTE, after_reading, environment_in, manage, turns
from tests.flows.test_real_client_settings import calls

GATED = "I will force push this to the shared branch now, as a plugin"
SCRIPT = {"rules": turns(GATED, NOTE, after_reading(NOTE), "Written.")}


@pytest.fixture(scope="module", params=["2.1.112", NEWEST])
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    """A session with the plugin alone."""
    folder = tmp_path_factory.mktemp("plugin")
    settings = folder / "settings.json"
    settings.write_text("{}")
    return spoken_with_plugin(request.param, folder, settings=settings)


@pytest.fixture(scope="module", params=["2.1.112", NEWEST])
def doubled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    """A session with the plugin and the entries of `install`."""
    folder = tmp_path_factory.mktemp("doubled")
    subprocess.run(
        [sys.executable, str(MANAGE), "install"], env=environment_in(folder), capture_output=True, check=True
    )
    return spoken_with_plugin(request.param, folder, settings=folder / "claude" / "settings.json")


def spoken_with_plugin(version: str, folder: Path, *, settings: Path) -> Talk:
    client = installed_client(version)
    manage(folder, "add", *RULE)
    command = [sys.executable, str(MANAGE), "install", "--plugin"]
    subprocess.run(command, env=environment_in(folder), capture_output=True, check=True)
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


def test_beside_entries_in_the_settings_each_prompt_and_call_is_handled_once(doubled: Talk) -> None:
    first, denied, passed = doubled.tool_results(GATED)[:3]
    status = manage(doubled.folder.parent, "status")

    assert first == []
    assert doubled.requests(GATED)[0].count(ACTION) == 1
    assert [row.get("is_error", False) for row in (*denied, *passed)] == [True, False]
    assert status["injections_24h"] == {"hot": 1, "warm": 0}
    assert status["gate_24h"] == {"deny": 1, "passed": 1}
    assert status["extract_jobs"] == {"pending": 1}


def test_beside_entries_in_the_settings_both_were_called(doubled: Talk) -> None:
    assert calls(doubled, "user-prompt-submit") == 2
