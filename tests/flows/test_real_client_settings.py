"""Settings that a real Claude Code read: others' hooks beside ours, ours in two files, and the way out again."""

from __future__ import annotations

import json
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.flows.host import ACTION, MANAGE, RULE
from tests.flows.npm_client import NEWEST, Client, installed_client
from tests.flows.real_client import Talk, run_talk
from tests.flows.test_real_client import NOTE, after_reading, environment_in, manage, turns

GATED = "I will force push this to the shared branch now, twice registered"
SCRIPT = {"rules": turns(GATED, NOTE, after_reading(NOTE), "Written.")}
FOREIGN = """{
  "hooks": {
    "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "touch foreign.txt # nokori-notes" }] }]
  }
}
"""
# The same hooks in the project's file, spelled another way: the client takes them for other commands.
SECOND_FILE = "mkdir -p .claude && sed 's#-I -S#-I  -S#' {settings} > .claude/settings.json"


@pytest.fixture(scope="module", params=["2.1.112", NEWEST])
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    client = installed_client(request.param)
    folder = tmp_path_factory.mktemp("settings")
    manage(folder, "add", *RULE)
    settings = folder / "claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(FOREIGN)
    install(folder)
    (folder / "data" / "registered.json").write_text(settings.read_text())
    copied = shlex.quote(str(folder / "data" / "registered.json"))
    talk = run_talk(
        client,
        settings=settings,
        script=SCRIPT,
        out=folder / "out",
        steps=["-x", SECOND_FILE.format(settings=copied), "-p", GATED, "-x", canary(client, folder / "bin")],
        data_folder=folder / "data",
    )
    install(folder, "--uninstall")
    return talk


def canary(client: Client, programs: Path) -> str:
    """The shell command of `health --canary`, with the client under the name that it is called by."""
    program = str(client.program)
    call = ["node", program] if program.endswith(".js") else [program]
    programs.mkdir()
    (programs / "claude").write_text(f'#!/bin/sh\nexec {shlex.join(call)} "$@"\n')
    (programs / "claude").chmod(0o755)
    health = shlex.join([sys.executable, str(MANAGE), "health", "--json", "--canary"])
    return f"PATH={shlex.quote(str(programs))}:$PATH {health}"


def install(folder: Path, *options: str) -> None:
    command = [sys.executable, str(MANAGE), "install", *options]
    subprocess.run(command, env=environment_in(folder), capture_output=True, check=True)


def calls(talk: Talk, event: str) -> int:
    """How often the client started that hook, as counted by `settle` and by the stamps that wait for it."""
    data = talk.folder.parent / "data"
    with closing(sqlite3.connect(data / "rules.db")) as database:
        rows = database.execute("SELECT SUM(calls) FROM hooks_hookcall WHERE event = ? AND host = ''", [event])
        (counted,) = rows.fetchone()
    return (counted or 0) + (data / "stamps" / event).stat().st_size


def test_nb126_after_uninstall_the_file_is_byte_for_byte_as_before(talk: Talk) -> None:
    settings = talk.folder.parent / "claude" / "settings.json"

    assert settings.read_text() == FOREIGN
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


def test_a_hook_of_others_beside_ours_runs(talk: Talk) -> None:
    assert (talk.project / "foreign.txt").exists()


def test_nb018_a_prompt_that_two_files_register_is_answered_once(talk: Talk) -> None:
    status = manage(talk.folder.parent, "status")

    assert calls(talk, "user-prompt-submit") == 2
    assert status["injections_24h"]["hot"] == 1
    assert talk.requests(GATED)[0].count(ACTION) == 1


def test_nb019_an_end_that_two_files_register_makes_one_job(talk: Talk) -> None:
    jobs = manage(talk.folder.parent, "status")["extract_jobs"]

    assert calls(talk, "session-end") == 2
    assert jobs == {"pending": 1}


def test_the_gate_denies_once_and_the_retry_runs(talk: Talk) -> None:
    _, denied, retried = talk.tool_results(GATED)

    assert [result.get("is_error", False) for result in denied + retried] == [True, False]
    assert (talk.project / "note.txt").read_text().split() == ["written"]


def test_nb013_the_canary_finds_its_rule_in_the_transcript(talk: Talk) -> None:
    (found,) = [row for row in json.loads(talk.step_output(3))["findings"] if row["name"] == "canary"]

    assert (found["state"], found["remedy"]) == ("ok", "")


def test_the_canary_leaves_no_transcript_behind(talk: Talk) -> None:
    assert not [path for path in talk.folder.rglob("*.jsonl") if "canary" in str(path.relative_to(talk.folder))]
