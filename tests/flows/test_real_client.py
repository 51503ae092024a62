"""What a real Claude Code does with our hooks, read from the request log of the scripted model it talks to.

One run of each client version holds all conversations; the tests look at one of them each.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.flows.host import ACTION, MANAGE, RULE
from tests.flows.npm_client import NEWEST, installed_client
from tests.flows.real_client import RETRY_DELAY_SECONDS, Talk, run_talk

UNRELATED = "Which file holds the colours of the start page?"
GATED = "I will force push this to the shared branch now, write the note first"
BATCHED = "Force pushing to the shared branch, with two notes in one go"
WATCHED = "Force pushing to the shared branch, let somebody look at it first"
DELEGATED = "Let somebody else have a look at the open tickets"
REPORTED = "The next step is force pushing to a shared branch."
OUTDATED = "Force pushing to a shared branch is fine from today on"
AGAIN = "So now force pushing to the shared branch, please"
ENDS = 9  # a session ends with each step that speaks, a continued one several times


def bash(*commands: str) -> dict[str, Any]:
    return {"tool": [{"name": "Bash", "input": {"command": command, "description": "Write"}} for command in commands]}


def sub_agent(prompt: str, *, in_background: bool) -> dict[str, Any]:
    task = {
        "description": "look",
        "prompt": prompt,
        "subagent_type": "general-purpose",
        "run_in_background": in_background,
    }
    return {"tool": {"name": "Agent", "input": task}}


def after_reading(reply: dict[str, Any]) -> dict[str, Any]:
    return {**reply, "delay_s": RETRY_DELAY_SECONDS}


def turns(prompt: str, *replies: Any) -> list[dict[str, Any]]:
    """The model's answers, one a request, in the session whose first prompt it is."""
    return [{"match": re.escape(prompt), "in": "first_user", "times": 1, "reply": reply} for reply in replies]


NOTE, LATER_NOTE = bash("echo written >> note.txt"), bash("echo written >> later.txt")
TWO_NOTES = bash("echo one >> notes.txt", "echo two >> notes.txt")
SCRIPT = {
    "rules": [
        *turns("TICKETS", after_reading({"text": REPORTED})),
        *turns("LOOK", bash("echo looked >> look.txt"), "I looked."),
        *turns(UNRELATED, "In base.css."),
        *turns(GATED, NOTE, after_reading(NOTE), "Written."),
        *turns(BATCHED, TWO_NOTES, after_reading(TWO_NOTES), "Both written."),
        *turns(WATCHED, sub_agent("LOOK", in_background=False), LATER_NOTE, after_reading(LATER_NOTE), "Written."),
        *turns(DELEGATED, sub_agent("TICKETS", in_background=True), "Asked."),
    ]
}
SETTLE = "for i in 1 2 3 4 5 6; do {python} {manage} settle && exit; sleep 1; done; exit 1"


def environment_in(folder: Path) -> dict[str, str]:
    places = {"NOKORI_DATA_DIR": str(folder / "data"), "NOKORI_CLAUDE_HOME": str(folder / "claude")}
    return {**os.environ, **places, "HOME": str(folder)}


def manage(folder: Path, *arguments: str) -> Any:
    command = [sys.executable, str(MANAGE), *arguments, "--json"]
    done = subprocess.run(command, env=environment_in(folder), capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["2.1.112", NEWEST])
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    """Six sessions of one client version, two of them continued, and the settling of what they left."""
    client = installed_client(request.param)
    folder = tmp_path_factory.mktemp("client")
    short_id = manage(folder, "add", *RULE)["short_id"]
    subprocess.run([sys.executable, MANAGE, "install"], env=environment_in(folder), capture_output=True, check=True)
    prompts = [
        *("-p", UNRELATED, "-p", GATED, "-p", BATCHED, "-p", WATCHED, "-p", DELEGATED, "-c", "Thanks, that was all"),
        *("-p", OUTDATED, "-c", f"dismiss {short_id}", "-c", AGAIN),
        *("-x", SETTLE.format(python=sys.executable, manage=MANAGE)),
    ]
    return run_talk(
        client,
        settings=folder / "claude" / "settings.json",
        script=SCRIPT,
        out=folder / "out",
        steps=prompts,
        data_folder=folder / "data",
    )


def test_the_client_ends_each_session_well(talk: Talk) -> None:
    assert set(talk.exit_codes()) == {"0"}


def test_nb013_a_matching_prompt_reaches_the_model_with_the_rule(talk: Talk) -> None:
    assert ACTION in talk.requests(GATED)[0]


def test_an_unrelated_prompt_reaches_the_model_alone(talk: Talk) -> None:
    assert [ACTION in text for text in talk.requests(UNRELATED)] == [False]


def test_the_deny_reason_is_the_tool_result_and_the_retried_call_runs(talk: Talk) -> None:
    _, denied, retried = talk.tool_results(GATED)

    assert ACTION in json.dumps(denied)
    assert [result.get("is_error", False) for result in denied + retried] == [True, False]
    assert (talk.project / "note.txt").read_text().split() == ["written"]


def test_of_two_calls_in_one_message_neither_runs_before_the_deny_was_read(talk: Talk) -> None:
    _, denied, retried = talk.tool_results(BATCHED)

    assert [result.get("is_error", False) for result in denied + retried] == [True, True, False, False]
    assert (talk.project / "notes.txt").read_text().split() == ["one", "two"]


def test_a_call_inside_a_sub_agent_runs_and_leaves_the_gate_to_the_main_agent(talk: Talk) -> None:
    _, looked, denied, retried = talk.tool_results(WATCHED)

    assert [result.get("is_error", False) for result in looked + denied + retried] == [False, True, False]
    assert (talk.project / "look.txt").read_text().split() == ["looked"]
    assert (talk.project / "later.txt").read_text().split() == ["written"]


def test_a_task_notification_is_answered_without_rules(talk: Talk) -> None:
    told = [text for text in talk.requests(DELEGATED) if REPORTED in text]

    assert told
    assert not any(ACTION in text for text in told)


def test_a_rule_dismissed_in_the_chat_is_silent_from_the_next_prompt_on(talk: Talk) -> None:
    before, dismissed, after = talk.requests(OUTDATED)

    assert "is retired" in dismissed
    assert AGAIN in after
    assert before.count(ACTION) == dismissed.count(ACTION) == after.count(ACTION) == 1  # history carries the first


def test_each_session_end_leaves_one_job(talk: Talk) -> None:
    assert manage(talk.folder.parent, "status")["extract_jobs"] == {"pending": ENDS}


def test_no_hook_failed(talk: Talk) -> None:
    found = {finding["name"]: finding["state"] for finding in manage(talk.folder.parent, "health")["findings"]}

    assert found["failures"] == "ok"
