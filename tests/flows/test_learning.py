"""A person corrects a real Claude Code; the session is extracted; the next session's prompt gets the rule.

The model that proposes the rule is asked over an OpenAI-compatible endpoint, and through the client itself (`claude -p`).
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.fakes import worded_rule
from tests.flows.host import MANAGE
from tests.flows.npm_client import NEWEST, Client, installed_client
from tests.flows.real_client import Talk, run_talk

ASKED = "Push my branch to main, please. Force it if you have to."
CORRECTED = "No, don't do that! Never force-push to main; use --force-with-lease, and only on a feature branch."
BETWEEN = "Which files are in this project?"
NEXT = "Please push these commits to the shared branch"
QUOTE = "Never force-push to main; use --force-with-lease"
ACTION = "Use --force-with-lease on a feature branch, never on main"
FOUND = json.dumps({"rules": [worded_rule(quote=QUOTE, action=ACTION)]})
SCRIPT = {
    "rules": [
        {
            "match": "BEGIN UNTRUSTED DATA",
            "in": "last_user",
            "main_only": False,
            "reply": f"Here it is:\n```json\n{FOUND}\n```",
        },
        {"match": re.escape(ASKED), "in": "last_user", "reply": "I push it with --force."},
        {"match": "Never force-push", "in": "last_user", "reply": "Understood: --force-with-lease only."},
        {"match": re.escape(BETWEEN), "in": "last_user", "reply": "app.py and README.md."},
        {"match": re.escape(NEXT), "in": "last_user", "reply": "I look at the branch first."},
    ]
}
SETTLE = f"for i in 1 2 3 4 5 6; do {sys.executable} {MANAGE} settle && exit; sleep 1; done; exit 1"


class Learned(NamedTuple):
    """What came of a run: the talk, and what the steps after it printed."""

    talk: Talk
    extracted: str
    rules: list[dict[str, Any]]


def claude_on_path(client: Client, folder: Path) -> str:
    """A folder with the client as `claude`, as an installation would have it."""
    folder.mkdir(parents=True)
    program = folder / "claude"
    runner = f'exec node "{client.program}" "$@"' if client.program.suffix == ".js" else f'exec "{client.program}" "$@"'
    program.write_text(f"#!/bin/sh\n{runner}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(folder)


@pytest.fixture(
    scope="module", params=[("2.1.112", "endpoint"), ("2.1.112", "claude"), (NEWEST, "claude")], ids=" ".join
)
def learned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Learned:
    version, asked = request.param
    client = installed_client(version)
    folder = tmp_path_factory.mktemp("learning")
    model = "NOKORI_LLM_BASE_URL=http://127.0.0.1:$FAKE_PORT/v1 NOKORI_LLM_MODEL=small"
    if asked == "claude":
        model = f'PATH="{claude_on_path(client, folder / "bin")}:$PATH"'
    environment = {
        **os.environ,
        "NOKORI_DATA_DIR": str(folder / "data"),
        "NOKORI_CLAUDE_HOME": str(folder / "claude"),
        "HOME": str(folder),
    }
    subprocess.run([sys.executable, MANAGE, "install"], env=environment, capture_output=True, check=True)
    talk = run_talk(
        client,
        settings=folder / "claude" / "settings.json",
        script=SCRIPT,
        out=folder / "out",
        steps=[
            *("-p", ASKED, "-c", CORRECTED, "-x", SETTLE, "-p", BETWEEN, "-x", SETTLE),
            *("-x", f"{model} {sys.executable} {MANAGE} extract"),
            *("-x", f"{sys.executable} {MANAGE} list --all --json"),
            *("-p", NEXT),
        ],
        data_folder=folder / "data",
        hot_cache=True,
    )
    return Learned(talk, talk.step_output(6), json.loads(talk.step_output(7)))


def extract_requests(learned: Learned) -> list[dict[str, Any]]:
    """What the model was asked by the extractor."""
    rows = map(json.loads, (learned.talk.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines())
    return [row["body"] for row in rows if row["body"] and "END UNTRUSTED DATA" in json.dumps(row["body"])]


def test_every_step_ends_well(learned: Learned) -> None:
    assert set(learned.talk.exit_codes()) == {"0"}


def test_the_correction_becomes_one_rule_with_the_persons_words(learned: Learned) -> None:
    [rule] = learned.rules

    assert (rule["action"], rule["quote"], rule["status"]) == (ACTION, QUOTE, "active")
    assert (rule["project_scope"], rule["project_id"].startswith("project-")) == ("project", True)


def test_each_session_is_extracted_once_however_often_it_ended(learned: Learned) -> None:
    """Three ends, two sessions; the model proposes the same rule for both, but it was said in one of them only."""
    assert "jobs: 3\ncandidates: 1\napplied: 1" in learned.extracted
    assert len(extract_requests(learned)) == 2


def test_the_model_sees_what_was_typed_and_has_nothing_to_act_with(learned: Learned) -> None:
    request = extract_requests(learned)[0]

    assert CORRECTED in json.dumps(request, ensure_ascii=False).replace('\\"', '"')
    assert not request.get("tools")


def test_the_next_sessions_prompt_gets_the_rule(learned: Learned) -> None:
    [asked] = learned.talk.requests(NEXT)

    assert ACTION in asked


def test_a_session_hears_the_last_messages_of_the_one_before_until_those_are_extracted(learned: Learned) -> None:
    [between], [after] = learned.talk.requests(BETWEEN), learned.talk.requests(NEXT)

    assert ("Nokori hot cache" in between, QUOTE in between) == (True, True)
    assert "Nokori hot cache" not in after


def test_asking_the_client_leaves_no_session_behind(learned: Learned) -> None:
    transcripts = list((learned.talk.folder / "home" / ".claude" / "projects").rglob("*.jsonl"))

    assert len(transcripts) == 3
    assert not [path for path in transcripts if "Most sessions teach nothing" in path.read_text(encoding="utf-8")]
