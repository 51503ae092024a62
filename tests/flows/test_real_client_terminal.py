"""A real Claude Code in a terminal: what /clear and /exit do to a session, its rules and its gate.

Last of all a session in which the hooks' program is gone, as after `pip uninstall`.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.flows.host import ACTION, MANAGE, RULE
from tests.flows.npm_client import NEWEST, installed_client
from tests.flows.real_client import Talk, run_talk
from tests.flows.test_real_client import LATER_NOTE, NOTE, after_reading, environment_in, manage, turns

FIRST = "Force pushing to the shared branch, what do you say"
SECOND = "Force pushing to the shared branch again, write the note first"
STRANDED = "Force pushing to the shared branch a third time, with another note"
SCRIPT = {
    "rules": [
        *turns(FIRST, "Better not."),
        *turns(SECOND, NOTE, after_reading(NOTE), "It is written down."),
        *turns(STRANDED, LATER_NOTE, "Written."),
    ],
}
LOSE_PROGRAM = "sed -i 's#/manage.py#/gone/manage.py#' .claude/settings.json"
KEYS = (
    {"wait": "forshortcuts|bypasspermissionson", "timeout": 60},
    {"sleep": 1},
    {"send": f"{FIRST}\r"},
    {"wait": "Betternot", "timeout": 60},
    {"sleep": 1},
    {"send": "/clear\r"},
    {"sleep": 3},
    {"send": f"{SECOND}\r"},
    {"wait": "Itiswrittendown", "timeout": 60},
    {"sleep": 1},
    {"send": "/exit\r"},
)


@pytest.fixture(scope="module", params=["2.1.112", NEWEST])
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    client = installed_client(request.param)
    folder = tmp_path_factory.mktemp("terminal")
    manage(folder, "add", *RULE)
    subprocess.run([sys.executable, MANAGE, "install"], env=environment_in(folder), capture_output=True, check=True)
    (folder / "keys.json").write_text(json.dumps(KEYS))
    return run_talk(
        client,
        settings=folder / "claude" / "settings.json",
        script=SCRIPT,
        out=folder / "out",
        steps=["-i", str(folder / "keys.json"), "-x", f"cd && {LOSE_PROGRAM}", "-p", STRANDED],
        data_folder=folder / "data",
    )


def sessions(talk: Talk) -> list[tuple[str, str]]:
    """How each session began and ended, in order."""
    with closing(sqlite3.connect(talk.folder.parent / "data" / "rules.db")) as database:
        return database.execute("SELECT source, end_reason FROM hooks_agentsession ORDER BY ended_at").fetchall()


def test_the_client_ends_well(talk: Talk) -> None:
    assert talk.exit_codes() == ["0", "0", "0"]


def test_clear_ends_one_session_and_begins_another_and_exit_ends_that(talk: Talk) -> None:
    status = manage(talk.folder.parent, "status")

    assert status["sessions"] == {"open": 0, "active": 0}
    assert sessions(talk) == [("startup", "clear"), ("clear", "prompt_input_exit")]


def test_each_of_the_two_ends_leaves_one_job(talk: Talk) -> None:
    assert manage(talk.folder.parent, "status")["extract_jobs"] == {"pending": 2}


def test_after_clear_the_rule_is_told_in_full_again(talk: Talk) -> None:
    before, after = (talk.requests(prompt)[0] for prompt in (FIRST, SECOND))

    assert FIRST not in after
    assert before.count(ACTION) == after.count(ACTION) == 1


def test_the_gate_armed_before_clear_is_not_met_after_it_and_its_own_denies_once(talk: Talk) -> None:
    _, denied, retried = talk.tool_results(SECOND)

    assert [result.get("is_error", False) for result in denied + retried] == [True, False]
    assert (talk.project / "note.txt").read_text().split() == ["written"]


def test_no_hook_failed(talk: Talk) -> None:
    found = {row["name"]: row["state"] for row in manage(talk.folder.parent, "health")["findings"]}

    assert found["failures"] == "ok"


def test_when_the_program_of_the_hooks_is_gone_prompts_and_tools_go_on(talk: Talk) -> None:
    _, written = talk.tool_results(STRANDED)

    assert [result.get("is_error", False) for result in written] == [False]
    assert (talk.project / "later.txt").read_text().split() == ["written"]
