"""Cursor from the first prompt to the end: its own flat replies, and rules that reach the agent by another way."""

import json
from pathlib import Path

import pytest

from hooks.hot.handlers.unseen_prompt import DENY_CLOSING
from hooks.hot.hosts.cursor import TOLD_USER, is_cursors
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH, LOCKFILE, LOCKFILE_PROMPT, SESSION, Finished

TRIGGER = FORCE_PUSH["trigger"]
IN_CURSOR = {"CURSOR_VERSION": "1.7.2", "NOKORI_GATE_BATCH_WINDOW_MS": "0"}


@pytest.fixture
def in_cursor(run_hook, tmp_path):
    """in_cursor("pre-tool-use", tool_name="Shell") sends what Cursor would; the reply is the flat object."""

    def run(event, generation="g1", env=None, **fields):
        payload = {
            "conversation_id": SESSION,
            "generation_id": generation,
            "cursor_version": "1.7.2",
            "workspace_roots": [str(tmp_path)],
            **fields,
        }
        done = run_hook(event, raw=json.dumps(payload).encode(), env={**IN_CURSOR, **(env or {})})
        assert (done.exit_code, done.stderr) == (0, b"")
        return json.loads(done.stdout) if done.stdout else {}

    return run


@pytest.fixture
def transcript(tmp_path):
    """transcript("words") writes the prompt where Cursor keeps it, and gives the path."""

    def write(words):
        path = tmp_path / ".cursor" / "projects" / "p" / "agent-transcripts" / "s.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = [{"type": "text", "text": f"<user_query>\n{words}\n</user_query>"}]
        path.write_text(json.dumps({"role": "user", "message": {"content": content}}) + "\n")
        return str(path)

    return write


def shell(in_cursor, number=1, **fields):
    call = {"tool_name": "Shell", "tool_input": {"command": "git push"}, "tool_use_id": f"t{number}"}
    return in_cursor("pre-tool-use", **call | fields)


def result(in_cursor, **fields):
    return in_cursor("post-tool-use", tool_name="Shell", tool_output="{}", **fields)


@pytest.mark.parametrize(
    "content",
    [
        {"cursor_version": "1.7.2", "hook_event_name": "UserPromptSubmit"},
        {"hook_event_name": "beforeSubmitPrompt"},
        {"composer_mode": "agent"},
        {"transcript_path": "C:\\Users\\me\\.cursor\\projects\\p\\a.jsonl"},
    ],
    ids=["imported", "event name", "composer", "transcript"],
)
def test_cursor_is_told_by_its_payload(content):
    assert is_cursors(content)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"conversation_id": "c"},
        {"hook_event_name": "PreToolUse"},
        {"transcript_path": "/h/.claude/projects/a.jsonl"},
    ],
)
def test_another_host_is_not_taken_for_cursor(content):
    assert not is_cursors(content)


def test_claude_code_in_cursors_terminal_is_answered_as_claude_code(publish, run_hook):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env={"CURSOR_TRACE_ID": "x"})

    assert TRIGGER in done.context


def test_nb015_a_prompt_goes_on_and_its_rules_come_with_the_next_tool_result(publish, in_cursor):
    publish(LOCKFILE)

    assert in_cursor("user-prompt-submit", prompt=LOCKFILE_PROMPT) == {"continue": True}
    told = result(in_cursor)

    assert set(told) == {"additional_context"}
    assert LOCKFILE["action"] in told["additional_context"]
    assert result(in_cursor) == {}


def test_rules_of_an_earlier_prompt_are_not_told_in_a_later_turn(publish, in_cursor):
    publish(LOCKFILE)
    in_cursor("user-prompt-submit", prompt=LOCKFILE_PROMPT)

    in_cursor("user-prompt-submit", generation="g2", prompt="what is the weather like in Lisbon")

    assert result(in_cursor, generation="g2") == {}


def test_a_prompt_without_rules_is_answered_with_nothing(publish, in_cursor):
    publish(FORCE_PUSH)

    assert in_cursor("user-prompt-submit", prompt="what is the weather like in Lisbon") == {}


def test_the_gate_denies_once_in_the_flat_form_and_tells_agent_and_user(publish, in_cursor):
    publish(FORCE_PUSH)
    in_cursor("user-prompt-submit", prompt=FORCE_PROMPT)

    denied, retried = shell(in_cursor, 1), shell(in_cursor, 2)

    assert set(denied) == {"permission", "agent_message", "user_message"}
    assert denied["permission"] == "deny"
    assert FORCE_PUSH["action"] in denied["agent_message"]
    assert denied["user_message"] == TOLD_USER
    assert retried == {}


def test_an_imported_claude_entry_is_answered_in_cursors_form_too(publish, in_cursor):
    publish(FORCE_PUSH)
    in_cursor("user-prompt-submit", hook_event_name="UserPromptSubmit", prompt=FORCE_PROMPT)

    assert shell(in_cursor, hook_event_name="PreToolUse")["permission"] == "deny"


def test_a_prompt_whose_hook_did_not_fire_is_told_by_one_deny(publish, in_cursor, transcript, notes):
    publish(LOCKFILE)
    path = transcript(LOCKFILE_PROMPT)

    denied, *later = [shell(in_cursor, number, transcript_path=path) for number in (1, 2, 3)]

    assert LOCKFILE["action"] in denied["agent_message"]
    assert denied["agent_message"].endswith(DENY_CLOSING)
    assert later == [{}, {}]
    assert len(notes("prompt")) == 1


def test_the_next_prompt_whose_hook_did_not_fire_is_told_again(publish, in_cursor, transcript):
    publish(LOCKFILE)
    path = transcript(LOCKFILE_PROMPT)
    shell(in_cursor, 1, transcript_path=path)

    assert shell(in_cursor, 2, generation="g2", transcript_path=path)["permission"] == "deny"


def test_a_prompt_that_its_hook_handled_is_not_told_a_second_time(publish, in_cursor, transcript):
    publish(LOCKFILE)
    in_cursor("user-prompt-submit", prompt=LOCKFILE_PROMPT)

    assert shell(in_cursor, transcript_path=transcript(LOCKFILE_PROMPT)) == {}


@pytest.mark.parametrize(
    ("tool_name", "env"),
    [
        ("Read", {"NOKORI_GATE_MATCHER": ".*"}),
        ("WebSearch", {}),
        ("Shell", {"NOKORI_GATE_ENABLED": "0"}),
    ],
    ids=["reading", "a tool that the gate does not match", "gate off"],
)
def test_where_nothing_may_be_denied_the_rules_wait_for_the_tool_result(publish, in_cursor, transcript, tool_name, env):
    publish(LOCKFILE)
    path = transcript(LOCKFILE_PROMPT)

    assert shell(in_cursor, tool_name=tool_name, transcript_path=path, env=env) == {}
    assert LOCKFILE["action"] in result(in_cursor, transcript_path=path, env=env)["additional_context"]


@pytest.mark.parametrize("place", ["/etc/passwd", "", "~/.cursor/no-such.jsonl"])
def test_a_transcript_that_cannot_be_read_lets_the_call_pass(publish, in_cursor, notes, place):
    publish(LOCKFILE)

    assert shell(in_cursor, transcript_path=place) == {}
    assert notes("failure") == []


def test_sessions_that_cannot_be_written_down_are_not_denied_for_ever(publish, in_cursor, transcript, data_folder):
    publish(LOCKFILE)
    Path(data_folder.sessions).write_bytes(b"in the way")
    path = transcript(LOCKFILE_PROMPT)

    assert [shell(in_cursor, number, transcript_path=path) for number in (1, 2)] == [{}, {}]


def test_nb018_two_registrations_of_one_prompt_leave_one_note(publish, in_cursor, notes):
    publish(LOCKFILE)

    imported = in_cursor("user-prompt-submit", hook_event_name="UserPromptSubmit", prompt=LOCKFILE_PROMPT)
    native = in_cursor("user-prompt-submit", hook_event_name="beforeSubmitPrompt", prompt=LOCKFILE_PROMPT)

    assert (imported, native) == ({"continue": True}, {})
    assert len(notes("prompt")) == 1
    assert LOCKFILE["action"] in result(in_cursor)["additional_context"]


def test_a_start_is_noted_under_cursors_name(in_cursor, notes, tmp_path):
    in_cursor("session-start", session_id=SESSION, composer_mode="agent")

    (note,) = notes("session_start")
    assert (note["host"], note["session_id"], note["cwd"]) == ("cursor", SESSION, str(tmp_path))


def test_nothing_personal_is_written_down(publish, in_cursor, data_folder):
    publish(LOCKFILE)
    in_cursor("user-prompt-submit", prompt=LOCKFILE_PROMPT, user_email="me@example.org")
    in_cursor("session-end", reason="user_close")

    kept = [path.read_bytes() for path in Path(data_folder.sessions).glob("*")]
    assert not [data for data in kept if b"example.org" in data]


def test_a_finished_hook_is_empty_or_one_line(publish, run_hook):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, cursor_version="1.7.2", generation_id="g")

    assert isinstance(done, Finished)
    assert done.stdout == b'{"continue": true}\n'
