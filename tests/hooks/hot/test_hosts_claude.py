"""Claude Code's contract: what is read of a payload, and the one form of each answer."""

import json
from pathlib import Path

import pytest

from hooks.hot.events import MAX_OUTPUT, PASS, HookEvent, Reply
from hooks.hot.hosts.claude import EVENT_NAMES
from hooks.hot.hosts.contract import parse, render
from hooks.hot.hosts.payload import PayloadUnreadable

PAYLOADS = Path(__file__).resolve().parents[4] / "shared" / "data" / "hook-payloads.json"
NAMES = {name: event for event, name in EVENT_NAMES.items()}


def real_payloads():
    """Every payload that a real Claude Code, Codex or Qwen sent for an event that is registered."""
    if not PAYLOADS.exists():
        return []
    clients = json.loads(PAYLOADS.read_text())["clients"]
    return [
        pytest.param(NAMES[entry["event"]], entry["stdin"], id=f"{client.split(' (')[0]}-{entry['event']}-{number}")
        for client, entries in clients.items()
        for number, entry in enumerate(entries)
        if entry["event"] in NAMES
    ]


def test_the_fields_of_a_prompt():
    event = parse("user-prompt-submit", b'{"session_id": " s ", "cwd": "/p", "prompt_id": "i", "prompt": " do it "}')

    assert (event.session_id, event.cwd, event.prompt_key, event.words) == ("s", "/p", "i", "do it")
    assert event.oddities == ()


def test_the_fields_of_a_tool_call():
    raw = b'{"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t", "agent_id": "a", "turn_id": "u"}'

    event = parse("pre-tool-use", raw)

    assert (event.tool_name, event.tool_input, event.tool_use_id) == ("Bash", {"command": "ls"}, "t")
    assert (event.agent_id, event.prompt_id, event.session_id) == ("a", "u", "-")


def test_prompts_without_an_id_are_told_apart_by_their_text():
    keys = {parse("user-prompt-submit", json.dumps({"prompt": text}).encode()).prompt_key for text in ("a", "b", "a")}

    assert len(keys) == 2
    assert all(len(key) == 8 for key in keys)


def test_a_field_of_the_wrong_kind_is_absent_and_named():
    event = parse("user-prompt-submit", b'{"session_id": ["x"], "prompt": null, "transcript_path": null}')

    assert (event.session_id, event.prompt) == ("-", "")
    assert set(event.oddities) == {"session_id", "prompt"}


def test_bytes_of_another_encoding_are_replaced_and_named():
    event = parse("user-prompt-submit", '{"session_id": "s", "prompt": "日本語 push"}'.encode("cp932"))

    assert event.session_id == "s"
    assert event.words.endswith("push")
    assert event.oddities == ("encoding",)


def test_a_byte_order_mark_is_no_harm():
    assert parse("user-prompt-submit", b'\xef\xbb\xbf{"prompt": "x"}').words == "x"


@pytest.mark.parametrize("raw", [b"", b"x", b"[]", b"null", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_object_is_refused(raw):
    with pytest.raises(PayloadUnreadable):
        parse("user-prompt-submit", raw)


def test_a_pass_is_empty_for_every_event():
    assert {render(HookEvent(event=event), PASS) for event in EVENT_NAMES} == {b""}


@pytest.mark.parametrize("event", EVENT_NAMES)
def test_nb002_context_is_nested_under_the_name_of_its_event(event):
    answer = json.loads(render(HookEvent(event=event), Reply(context="text")))

    assert answer == {"hookSpecificOutput": {"hookEventName": EVENT_NAMES[event], "additionalContext": "text"}}


def test_nb005_a_deny_has_exactly_the_documented_keys():
    answer = json.loads(render(HookEvent(event="pre-tool-use"), Reply(deny_reason="why")))

    assert answer == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "why",
        }
    }


def test_an_answer_is_ascii_sound_and_within_the_limit():
    output = render(HookEvent(event="user-prompt-submit"), Reply(context="\ud83d" + "漢" * 20_000))

    assert output.isascii()
    assert len(json.loads(output)["hookSpecificOutput"]["additionalContext"]) == MAX_OUTPUT
    assert b"\\ud83d" not in output


@pytest.mark.skipif(not PAYLOADS.exists(), reason="the real clients' payloads are not beside this checkout")
@pytest.mark.parametrize(("event", "payload"), real_payloads())
def test_a_real_payload_is_read_without_oddity(event, payload):
    parsed = parse(event, json.dumps(payload).encode())

    assert parsed.oddities == ()
    assert parsed.session_id == payload["session_id"]
    assert parsed.is_machine_text == (not payload.get("prompt") or payload["prompt"].startswith("<task-notification>"))


@pytest.mark.skipif(not PAYLOADS.exists(), reason="the real clients' payloads are not beside this checkout")
@pytest.mark.parametrize(("event", "payload"), real_payloads())
def test_a_real_payload_goes_through_its_hook_without_a_failure(run_hook, notes, event, payload):
    done = run_hook(event, raw=json.dumps(payload).encode())

    assert done.is_pass
    assert notes("failure") == []
