"""`health --canary`: a stand-in for the client runs the hooks as that does, or leaves one of its steps out."""

import json
import os
import sys
from pathlib import Path

import pytest
from django.conf import settings

from nokori_site.canary import check_canary
from nokori_site.finding import State

WORD = "5f3c9a7e"
CLIENT = """#!{python}
import json, pathlib, subprocess, sys
prompt = sys.argv[sys.argv.index("-p") + 1]
transcript = pathlib.Path({transcript!r})
def fire(event, **fields):
    payload = json.dumps(dict(session_id="s", transcript_path=str(transcript), cwd="/", **fields)).encode()
    hook = [{python!r}, "-I", "-S", {manage!r}, "hook", event]
    return subprocess.run(hook, input=payload, capture_output=True).stdout if event in {events!r} else b""
fire("session-start", source="startup")
said = fire("user-prompt-submit", prompt=prompt)
told = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""
attachment = dict(type={attached!r}, content=[told])
transcript.write_text(json.dumps(dict(type="attachment", attachment=attachment)) + "\\n")
"""


@pytest.fixture
def canary(data_folder, tmp_path):
    """canary(events=...) is how the check ends with a client that calls only these hooks."""

    def check(events=("session-start", "user-prompt-submit"), attached="hook_additional_context"):
        program = tmp_path / "bin" / "claude"
        program.parent.mkdir()
        facts = {"events": events, "attached": attached, "manage": str(settings.BASE_DIR / "manage.py")}
        program.write_text(CLIENT.format(python=sys.executable, transcript=str(tmp_path / "t.jsonl"), **facts))
        program.chmod(0o755)
        environ = {**os.environ, "PATH": str(program.parent)}
        (found,) = check_canary(data_folder, environ=environ, word=WORD)
        return found

    return check


def test_nb013_a_rule_that_is_in_the_transcript_has_reached_the_agent(canary, tmp_path):
    found = canary()

    assert found.state is State.OK
    assert not (tmp_path / "t.jsonl").exists()


@pytest.mark.parametrize(
    ("events", "attached", "words"),
    [
        ((), "hook_additional_context", "no prompt hook"),
        (("user-prompt-submit",), "hook_additional_context", "no session start hook"),
        (("session-start", "user-prompt-submit"), "hook_success", "does not hold it"),
    ],
    ids=["no hooks", "no start", "dropped"],
)
def test_nb013_where_the_rule_got_lost_is_told(canary, events, attached, words):
    found = canary(events, attached)

    assert (found.state, words in found.detail, bool(found.remedy)) == (State.FAIL, True, True)


def test_the_users_own_rules_and_folder_are_left_alone(canary, data_folder):
    canary()

    assert not Path(data_folder.root).exists()


def test_without_the_client_there_is_nothing_to_try_with(data_folder, tmp_path):
    (found,) = check_canary(data_folder, environ={"PATH": str(tmp_path)}, word=WORD)

    assert found.state is State.NOTE


def test_a_client_that_fails_is_told(data_folder, tmp_path):
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)

    (found,) = check_canary(data_folder, environ={**os.environ, "PATH": f"{tmp_path}:/bin"}, word=WORD)

    assert found.state is State.FAIL


def test_the_verb_asks_only_when_told_to(run_manage, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    plain, asked = (
        json.loads(run_manage("health", "--json", *more).stdout)["findings"] for more in ((), ("--canary",))
    )

    assert "canary" not in {row["name"] for row in plain}
    assert "canary" in {row["name"] for row in asked}
