"""A real Codex: what `install --codex` wrote is called, its answers reach the model, and uninstalling leaves no trace."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from extraction.transcript_file import TranscriptReader
from tests.flows.host import ACTION, MANAGE, RULE
from tests.flows.npm_client import CODEX, NEWEST, Client, installed_client
from tests.flows.real_client import RETRY_DELAY_SECONDS, Talk, run_talk
from tests.flows.test_real_client import environment_in, manage

GATED = "I will force push this to the shared branch now, write the note first"
UNRELATED = "Which file holds the colours of the start page?"
FOREIGN = """{
  "hooks": {
    "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "touch foreign.txt # nokori-notes" }] }]
  }
}"""
NOTE = {"tool": {"name": "exec_command", "input": {"cmd": "echo written >> note.txt"}}}
SCRIPT = {
    "rules": [
        {"match": prompt, "in": "body", "times": 1, "reply": reply}
        for prompt, reply in (
            (UNRELATED.rstrip("?"), "In base.css."),
            (GATED, NOTE),
            (GATED, {**NOTE, "delay_s": RETRY_DELAY_SECONDS}),
            (GATED, "Written."),
        )
    ]
}
MODEL = 'model_providers.scripted={name="scripted",base_url="http://127.0.0.1:PORT/v1",wire_api="responses"}'
WAY = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check")
CONFIG = ("-c", "model=scripted", "-c", "model_provider=scripted", "-c", MODEL)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Talk:
    """Two sessions, then `settle`, then the way out of the home folder that the client left."""
    client = installed_client(NEWEST, CODEX)
    folder = tmp_path_factory.mktemp("codex")
    home = folder / "home" / ".codex"
    home.mkdir(parents=True)
    (home / "hooks.json").write_text(FOREIGN)
    (folder / "settings.json").write_text("{}")
    manage(folder, "add", *RULE)
    register(folder, home)
    talk = run_talk(
        client,
        settings=folder / "settings.json",
        script=SCRIPT,
        out=folder / "out",
        steps=["-x", spoken(client, UNRELATED), "-x", spoken(client, GATED)],
        data_folder=folder / "data",
        home=folder / "home",
    )
    register(folder, talk.folder / "home" / ".codex", "--uninstall")
    return talk


def register(folder: Path, home: Path, *options: str) -> None:
    environment = {**environment_in(folder), "NOKORI_CODEX_HOME": str(home)}
    command = [sys.executable, str(MANAGE), "install", "--codex", *options]
    subprocess.run(command, env=environment, capture_output=True, check=True)


def spoken(client: Client, prompt: str) -> str:
    """The shell command of one session; the harness tells the model's port in a variable."""
    command = shlex.join([str(client.program), "exec", "--json", *WAY, *CONFIG, prompt])
    return command.replace("PORT", "'\"$FAKE_PORT\"'")


def inputs(talk: Talk, prompt: str) -> list[list[dict[str, Any]]]:
    """The items of each request of the session that was given the prompt."""
    lines = (talk.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    bodies = (row["body"] for row in map(json.loads, lines) if row["kind"] == "main")
    return [body["input"] for body in bodies if prompt in json.dumps(body["input"])]


def test_both_sessions_end_well(talk: Talk) -> None:
    assert talk.exit_codes() == ["0", "0"]


def test_a_matching_prompt_reaches_the_model_with_the_rule_after_it(talk: Talk) -> None:
    said, told = inputs(talk, GATED)[0][-2:]

    assert GATED in json.dumps(said)
    assert (told["role"], told["content"][0]["text"].count(ACTION)) == ("developer", 1)


def test_an_unrelated_prompt_reaches_the_model_alone(talk: Talk) -> None:
    assert [ACTION in json.dumps(items) for items in inputs(talk, UNRELATED)] == [False]


def test_the_deny_reason_is_the_tool_result_and_the_retried_call_runs(talk: Talk) -> None:
    _, denied, retried = (items[-1].get("output", "") for items in inputs(talk, GATED))

    assert denied.startswith("Command blocked by PreToolUse hook:")
    assert ACTION in denied
    assert "exited with code 0" in retried
    assert (talk.project / "note.txt").read_text().split() == ["written"]


def test_each_session_end_leaves_one_job_whose_transcript_the_client_wrote(talk: Talk) -> None:
    assert manage(talk.folder.parent, "status")["extract_jobs"] == {"pending": 2}


def test_what_was_typed_can_be_learned_from_its_transcript(talk: Talk) -> None:
    typed = [
        turn.text
        for path in sorted((talk.folder / "home" / ".codex" / "sessions").rglob("*.jsonl"))
        for turn in TranscriptReader(str(path)).turns()
        if turn.is_human
    ]

    assert typed == [UNRELATED, GATED]


def test_every_hook_was_called_and_none_failed(talk: Talk) -> None:
    found = {row["name"]: row["state"] for row in manage(talk.folder.parent, "health")["findings"]}

    events = ("session-start", "user-prompt-submit", "pre-tool-use", "session-end", "failures")
    assert {name: found[name] for name in events} == dict.fromkeys(events, "ok")


def test_a_hook_of_others_beside_ours_runs(talk: Talk) -> None:
    assert (talk.project / "foreign.txt").exists()


def test_nb126_after_uninstall_the_file_is_byte_for_byte_as_before(talk: Talk) -> None:
    home = talk.folder / "home" / ".codex"

    assert (home / "hooks.json").read_text() == FOREIGN
    assert not (home / "hooks.json.nokori-backup").exists()


def test_its_calls_are_told_from_those_of_other_hosts(talk: Talk) -> None:
    rows = [row["detail"] for row in manage(talk.folder.parent, "health")["findings"] if row["name"] == "hosts"]

    assert [row.partition(":")[0] for row in rows] == ["codex"]
