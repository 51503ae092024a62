"""Tool calls at the gate: one deny, then everything passes; what is noted of it."""

import json
import time
from pathlib import Path

import pytest

from hooks.hot import gate
from hooks.hot.gate import judge_call
from hooks.hot.markers import Marker, clear_marker, save_marker
from hooks.hot.published import load_published
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH, NOW, SESSION

AT_ONCE = {"NOKORI_GATE_BATCH_WINDOW_MS": "0"}  # a retry need not wait for the batch to be over


@pytest.fixture
def call_tool(run_hook):
    def call(tool_name="Bash", **fields):
        fields = {"tool_input": {"command": "git push"}, "env": AT_ONCE, **fields}
        return run_hook("pre-tool-use", tool_name=tool_name, **fields)

    return call


@pytest.fixture
def armed(publish, run_hook):
    """armed(tool_pattern="...") puts a gate before the next tool call."""

    def arm(prompt_id="prompt-1", **changes):
        publish(FORCE_PUSH | changes)
        return run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id=prompt_id)

    return arm


def answers(notes):
    return [note["answer"] for note in notes("gate")]


def test_the_first_call_is_denied_with_the_rule_and_how_to_go_on(armed, call_tool):
    armed()

    done = call_tool()

    assert done.reply["hookEventName"] == "PreToolUse"
    assert done.reply["permissionDecision"] == "deny"
    assert "a1b2c3" in done.deny_reason
    assert "Use --force-with-lease" in done.deny_reason
    assert "a forced push overwrites the work of others" in done.deny_reason
    assert "the same call passes" in done.deny_reason
    assert "`dismiss a1b2c3`" in done.deny_reason


def test_nb005_the_decision_is_deny_and_nothing_else(armed, call_tool):
    armed()

    assert set(call_tool().reply) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}


def test_nb007_the_deny_names_its_event_so_that_an_allowed_tool_is_stopped_too(armed, call_tool):
    armed()

    assert call_tool(permission_mode="bypassPermissions").reply["hookEventName"] == "PreToolUse"


def test_nb009_the_gate_neither_asks_nor_allows(armed, call_tool):
    armed()

    decisions = [call_tool().reply.get("permissionDecision") for _ in range(3)]

    assert decisions == ["deny", None, None]


def test_nb033_the_second_same_call_passes_and_all_later_ones(armed, call_tool, notes):
    armed()

    denied = [bool(call_tool().deny_reason) for _ in range(5)]

    assert denied == [True, False, False, False, False]
    assert answers(notes) == ["deny", "passed"]


def test_nb034_the_denied_call_sent_again_by_its_host_stays_denied_and_the_retry_passes(armed, call_tool):
    armed()

    denied = [bool(call_tool(tool_use_id=name).deny_reason) for name in ("one", "one", "two")]

    assert denied == [True, True, False]


def test_nb018_a_call_that_two_registrations_tell_of_is_noted_once(armed, call_tool, notes):
    armed()

    denied = [bool(call_tool(tool_use_id="one").deny_reason) for _ in range(2)]
    passed = [call_tool(tool_use_id="two").is_pass for _ in range(2)]

    assert denied == passed == [True, True]
    assert answers(notes) == ["deny", "passed"]


def test_nb018_a_retry_that_two_registrations_tell_of_at_once_passes_in_both(data_folder, make_call, monkeypatch):
    event = make_call(event="pre-tool-use", tool_name="Bash", tool_use_id="one").event
    marker = Marker(
        session_id=SESSION, prompt_ids=(), armed_at=NOW, rule_id="r", short_id="a1b2c3", tool_pattern="", reason="read"
    )
    save_marker(data_folder, marker)
    settings = load_published(data_folder, environ={}).settings
    denied = judge_call(event, folder=data_folder, settings=settings, now=NOW)
    event.tool_use_id = "two"

    def read_before_the_other_takes_it_away(folder, session_id):
        clear_marker(folder, session_id)
        return marker

    monkeypatch.setattr(gate, "read_marker", read_before_the_other_takes_it_away)
    passed = judge_call(event, folder=data_folder, settings=settings, now=NOW + 60)

    assert [verdict and verdict.answer for verdict in (denied, passed)] == ["deny", "passed"]


def test_without_coalescing_each_registration_notes_the_call(armed, call_tool, notes):
    armed()

    for _ in range(2):
        call_tool(tool_use_id="one", env=AT_ONCE | {"NOKORI_HOOK_COALESCE": "0"})

    assert answers(notes) == ["deny", "deny"]


def test_nb035_the_reason_claims_no_word_of_the_users(armed, call_tool):
    armed(rationale="")

    reason = call_tool().deny_reason

    assert reason
    assert "you said" not in reason.lower()
    assert "user said" not in reason.lower()


def test_nb035_a_call_inside_a_sub_agent_passes_and_leaves_the_gate_armed(armed, call_tool, notes):
    armed()

    inside = call_tool(agent_id="a1")

    assert inside.is_pass
    assert call_tool().deny_reason
    assert answers(notes) == ["sub_agent", "deny"]


def test_nb031_another_tool_after_the_deny_is_noted(armed, call_tool, notes):
    armed()
    call_tool("Edit")

    call_tool("Bash")

    assert [note["same_tool"] for note in notes("gate")] == [None, False]


def test_the_same_tool_after_the_deny_is_noted(armed, call_tool, notes):
    armed()
    call_tool("Edit")

    call_tool("Edit")

    assert [note["same_tool"] for note in notes("gate")] == [None, True]


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit", "Bash", "PowerShell", "NotebookEdit", "apply_patch"])
def test_nb029_every_tool_that_can_do_harm_is_stopped(armed, call_tool, tool):
    armed()

    assert call_tool(tool, tool_input={"command": "Remove-Item -Recurse -Force"}).deny_reason


def test_nb030_whichever_risky_tool_comes_first_is_stopped(armed, call_tool):
    armed()

    assert call_tool(tool_input={"command": "python3 -c \"open('f', 'w').write('x')\""}).deny_reason


def test_a_tool_outside_the_matcher_passes_and_leaves_the_gate_armed(armed, call_tool, notes):
    armed()

    assert call_tool("Read").is_pass
    assert call_tool().deny_reason
    assert answers(notes) == ["deny"]


@pytest.mark.parametrize(
    ("matcher", "stops"),
    [(".*", True), ("*", True), ("Rea", False), ("(", False), ("a{99999999999}", False), ("Read|Bash", True)],
)
def test_the_matcher_must_match_the_whole_name(armed, call_tool, matcher, stops):
    armed()

    done = call_tool("Read", env=AT_ONCE | {"NOKORI_GATE_MATCHER": matcher})

    assert bool(done.deny_reason) == stops


def test_calls_of_one_message_are_denied_together(armed, call_tool):
    armed()
    window = {"NOKORI_GATE_BATCH_WINDOW_MS": "5000"}

    first = call_tool(tool_use_id="one", env=window)
    second = call_tool("Write", tool_use_id="two", env=window)

    assert first.deny_reason == second.deny_reason != ""


def test_the_default_window_is_over_when_an_agent_has_read_the_deny(armed, call_tool):
    armed()
    call_tool(tool_use_id="one", env={})
    time.sleep(0.75)

    assert call_tool(tool_use_id="two", env={}).is_pass


def test_a_new_prompt_of_a_persons_ends_the_gate(armed, call_tool, run_hook):
    armed()
    run_hook("user-prompt-submit", prompt="something else", prompt_id="prompt-2")

    assert call_tool().is_pass


def test_a_machines_prompt_leaves_the_gate_armed_for_the_calls_that_follow(armed, call_tool, run_hook):
    armed()
    run_hook("user-prompt-submit", prompt="<task-notification>done</task-notification>", prompt_id="machine")

    assert call_tool(prompt_id="machine").deny_reason


def test_an_old_gate_no_longer_blocks(armed, call_tool, notes, data_folder):
    armed()
    age_marker(data_folder, seconds=601)

    assert call_tool().is_pass
    assert answers(notes) == ["expired"]


def test_an_old_gate_is_gone_with_the_first_call_of_a_sub_agent(armed, call_tool, notes, data_folder):
    armed()
    age_marker(data_folder, seconds=601)

    assert [call_tool(agent_id="a1").is_pass for _ in range(2)] == [True, True]
    assert answers(notes) == ["expired"]


def test_with_a_time_to_live_of_zero_a_gate_never_expires(armed, call_tool, data_folder):
    armed()
    age_marker(data_folder, seconds=10_000_000)

    assert call_tool(env=AT_ONCE | {"NOKORI_GATE_TTL_SECONDS": "0"}).deny_reason


def test_a_clock_that_went_back_neither_blocks_for_ever_nor_fails(armed, call_tool, data_folder):
    armed()
    call_tool()
    path = Path(data_folder.gate_markers, f"{SESSION}.spent")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"denied_at": time.time() + 3600}))

    assert call_tool(env={}).is_pass


def test_a_switched_off_gate_blocks_nothing(armed, call_tool):
    armed()

    assert call_tool(env={"NOKORI_GATE_ENABLED": "0"}).is_pass


def test_the_gate_waits_for_the_call_that_its_pattern_is_about(armed, call_tool):
    armed(tool_pattern=r"git push.*--force")

    denied = [
        bool(call_tool(tool_input={"command": command}).deny_reason)
        for command in ("ls", "git push", "git push origin --force", "git push origin --force")
    ]

    assert denied == [False, False, True, False]


def test_a_broken_pattern_counts_as_none(armed, call_tool):
    armed(tool_pattern="(")

    assert call_tool(tool_input={"command": "ls"}).deny_reason


def test_a_pattern_that_runs_away_is_stopped_and_noted(armed, call_tool, notes):
    armed(tool_pattern=r"(a+)+$")

    done = call_tool(tool_input={"command": "a" * 60 + "!"})

    assert done.is_pass
    assert [note["error"] for note in notes("failure")] == ["PatternTooSlow"]


def test_a_matcher_that_runs_away_is_stopped_and_noted(armed, call_tool, notes):
    armed()

    done = call_tool("a" * 60, env={"NOKORI_GATE_MATCHER": r"(\w+)+!"})

    assert done.is_pass
    assert [note["error"] for note in notes("failure")] == ["PatternTooSlow"]


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"{}", b'{"v": 1, "prompt_ids": 5}', b"\xff"])
def test_a_damaged_marker_is_taken_away_and_noted(armed, call_tool, notes, data_folder, content):
    armed()
    marker = Path(data_folder.gate_markers, f"{SESSION}.json")
    marker.write_bytes(content)

    done = call_tool()

    assert done.is_pass
    assert not marker.exists()
    assert answers(notes) == ["corrupt"]


def test_a_rule_that_was_retired_meanwhile_does_not_block(armed, call_tool, data_folder):
    armed()
    Path(data_folder.tombstones).mkdir()
    Path(data_folder.tombstones, "a1b2c3").touch()

    assert call_tool().is_pass


def test_a_deny_that_cannot_be_written_down_is_not_given(armed, call_tool, data_folder, notes):
    armed()
    Path(data_folder.gate_markers, f"{SESSION}.spent").mkdir()

    assert call_tool().is_pass
    assert len(notes("failure")) == 1


def test_another_session_is_not_stopped(armed, call_tool):
    armed()

    assert call_tool(session_id="another").is_pass


def test_a_gate_of_an_older_client_needs_no_prompt_id(publish, run_hook, call_tool):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert call_tool(prompt_id="of-the-tool-call-only").deny_reason


def age_marker(folder, *, seconds):
    path = Path(folder.gate_markers, f"{SESSION}.json")
    marker = json.loads(path.read_text())
    path.write_text(json.dumps(marker | {"armed_at": marker["armed_at"] - seconds}))
