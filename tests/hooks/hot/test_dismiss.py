"""Retiring a rule in chat: who may, which words do, and what the agent is told of it."""

import json
import time
from pathlib import Path

import pytest

from hooks.hot.dismiss import MAX_IDS, read_command
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH, LOCKFILE, LOCKFILE_PROMPT, SESSION

TWIN = FORCE_PUSH | {
    "rule_id": "a1b2c3d4-9999-4000-8000-000000000009",
    "short_id": "a1b2c3d49",
    "action": "Wait until the colleague who owns it has answered",
}


@pytest.fixture
def shown(publish, run_hook):
    publish(FORCE_PUSH, LOCKFILE)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1")


def test_a_shown_rule_is_retired_and_the_agent_is_told_in_one_line(run_hook, shown, data_folder, notes):
    done = run_hook("user-prompt-submit", prompt="dismiss a1b2c3", prompt_id="2")

    assert done.context == "Nokori: rule a1b2c3 is retired."
    assert json.loads(Path(data_folder.tombstones, "a1b2c3").read_text())["rule_id"] == FORCE_PUSH["rule_id"]
    assert notes("prompt")[-1]["dismissed"] == [{"rule_id": FORCE_PUSH["rule_id"], "short_id": "a1b2c3"}]


@pytest.mark.parametrize("line", ["dismiss a1b2c3.", "Dismiss A1B2C3!", "`dismiss a1b2c3`.", "dismiss a1b2c3。"])
def test_a_line_may_end_as_a_sentence_does(line):
    assert read_command(line, verb="dismiss").ids == ("a1b2c3",)


def test_it_is_silent_for_the_very_same_prompt_and_the_next_ones(run_hook, shown):
    same = run_hook("user-prompt-submit", prompt=f"dismiss a1b2c3\n{FORCE_PROMPT}", prompt_id="2")
    following = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="3")

    assert "--force-with-lease" not in same.context
    assert following.is_pass


def test_its_gate_is_disarmed_in_every_session(run_hook, shown):
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, session_id="other")
    run_hook("user-prompt-submit", prompt="dismiss a1b2c3", prompt_id="2")

    assert run_hook("pre-tool-use", tool_name="Bash", tool_input={}, session_id="other").is_pass


def test_the_rest_of_the_prompt_is_searched_with(run_hook, shown):
    done = run_hook("user-prompt-submit", prompt=f"dismiss a1b2c3\n{LOCKFILE_PROMPT}", prompt_id="2")

    assert "[HOT d4e5f6]" in done.context
    assert done.context.startswith("Nokori: rule a1b2c3 is retired.\n")


def test_a_rule_that_was_not_shown_here_stays(run_hook, shown, data_folder):
    done = run_hook("user-prompt-submit", prompt="dismiss d4e5f6", prompt_id="2")

    assert "was not shown in this session" in done.context
    assert not Path(data_folder.tombstones).exists()


def test_a_rule_that_was_shown_over_a_day_ago_stays(run_hook, shown, data_folder):
    path = Path(data_folder.sessions, f"{SESSION}.json")
    session = json.loads(path.read_text())
    session["shown"]["a1b2c3"]["at"] = time.time() - 24 * 3600 - 1
    path.write_text(json.dumps(session))

    done = run_hook("user-prompt-submit", prompt="dismiss a1b2c3", prompt_id="2")

    assert "was not shown in this session" in done.context


def test_a_rule_shown_before_a_compaction_may_be_retired(run_hook, shown):
    run_hook("session-start", source="compact")

    assert "is retired" in run_hook("user-prompt-submit", prompt="dismiss a1b2c3", prompt_id="2").context


def test_an_unknown_id_is_said_to_be_unknown(run_hook, shown):
    done = run_hook("user-prompt-submit", prompt="dismiss 999999", prompt_id="2")

    assert done.context == "Nokori: no rule is called 999999."


def test_an_ambiguous_prefix_retires_nothing(run_hook, publish, data_folder):
    publish(FORCE_PUSH | {"short_id": "a1b2c3d40"}, TWIN)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1")

    done = run_hook("user-prompt-submit", prompt="dismiss a1b2c3", prompt_id="2")

    assert "a1b2c3 fits several rules (a1b2c3d40, a1b2c3d49)" in done.context
    assert not Path(data_folder.tombstones).exists()


def test_a_host_that_names_no_session_may_retire_any_published_rule(run_hook, publish):
    publish(FORCE_PUSH, LOCKFILE)

    done = run_hook("user-prompt-submit", session_id="-", prompt="dismiss d4e5f6")

    assert done.context == "Nokori: rule d4e5f6 is retired."


def test_the_verb_can_be_another(run_hook, shown):
    done = run_hook(
        "user-prompt-submit", prompt="forget a1b2c3", prompt_id="2", env={"NOKORI_DISMISS_PHRASE": "forget"}
    )

    assert "is retired" in done.context


def test_the_hint_names_the_verb_that_works(run_hook, publish):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env={"NOKORI_DISMISS_PHRASE": "忘记"})

    assert "`忘记 a1b2c3`" in done.context.splitlines()[-1]


def test_a_machines_text_retires_nothing(run_hook, shown, data_folder):
    run_hook("user-prompt-submit", prompt="<task-notification>\ndismiss a1b2c3\n</task-notification>", prompt_id="2")

    assert not Path(data_folder.tombstones).exists()


def test_a_disk_that_takes_no_tombstone_is_said_and_noted(run_hook, shown, data_folder, notes):
    Path(data_folder.tombstones).write_bytes(b"in the way")

    done = run_hook("user-prompt-submit", prompt=f"dismiss a1b2c3\n{LOCKFILE_PROMPT}", prompt_id="2")

    assert "a1b2c3 could not be retired" in done.context
    assert "[HOT d4e5f6]" in done.context
    assert len(notes("failure")) == 1


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("dismiss a1b2c3", ["a1b2c3"]),
        ("  DISMISS   A1B2C3  ", ["a1b2c3"]),
        ("dismiss: a1b2c3, d4e5f6", ["a1b2c3", "d4e5f6"]),
        ("dismiss a1b2c3\uff0cd4e5f6\u3001a1b2c3", ["a1b2c3", "d4e5f6"]),
        ("dismiss\uff1aa1b2c3", ["a1b2c3"]),
        ("dismiss\u3000a1b2c3;d4e5f6", ["a1b2c3", "d4e5f6"]),
        ("`dismiss a1b2c3`", ["a1b2c3"]),
        ("please dismiss a1b2c3", []),
        ("dismiss a1b2c3 please", []),
        ("dismiss a1b2c", []),
        ("dismiss " + "a" * 33, []),
        ("dismissa1b2c3", []),
        ("dismissed a1b2c3", []),
        ("dismiss", []),
        ("dismiss the idea", []),
    ],
)
def test_the_command_stands_alone_on_its_line(line, ids):
    command = read_command(f"first\n{line}\nlast", verb="dismiss")

    assert list(command.ids) == ids
    assert (line.strip() in command.rest) == (not ids)


def test_a_prompt_names_a_bounded_number_of_rules():
    command = read_command("dismiss " + " ".join(f"{number:06x}" for number in range(10_000)), verb="dismiss")

    assert len(command.ids) == MAX_IDS


def test_several_outcomes_are_one_line(run_hook, shown):
    done = run_hook("user-prompt-submit", prompt="dismiss a1b2c3 999999", prompt_id="2")

    assert done.context == "Nokori: rule a1b2c3 is retired; no rule is called 999999."
