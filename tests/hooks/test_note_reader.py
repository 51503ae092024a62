"""Bytes of a note become typed values that any database takes, or a refusal that says why."""

import json
from datetime import UTC, date, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.note_reader import MAX_NOTE_BYTES, NoteRefused, read_note
from hooks.notes import GateNote, Match, SessionEndNote
from tests.hooks.spooled import KINDS, NOON, note

RULE_ID = "0b6f2f6e-5a52-4a3e-9d5c-0d8c1f1f7d11"
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def read(content):
    return read_note(json.dumps(content).encode())


def test_what_every_note_says_is_read_into_typed_values():
    found = read(note("prompt", id="n1"))

    assert (found.id, found.event, found.host, found.session_id) == ("n1", "user-prompt-submit", "claude", "s1")
    assert (found.at, found.day, found.ms) == (NOON, date(2026, 11, 30), 20.0)


def test_the_rules_of_a_prompt_are_read_and_unknown_ones_passed_over():
    shown = [
        {"rule_id": RULE_ID, "short_id": "abc123", "level": "hot", "full": True},
        {"rule_id": "not a uuid", "level": "hot"},
        {"rule_id": RULE_ID, "level": "cold"},
        {},
    ]

    found = read(note("prompt", shown=shown, dismissed=[{"rule_id": RULE_ID}, {"rule_id": 3}]))

    assert found.shown == (Match(rule_id=UUID(RULE_ID), level="hot", is_full=True),)
    assert found.dismissed == (UUID(RULE_ID),)


def test_a_gate_note_may_know_neither_rule_nor_tool():
    found = read(note("gate", rule_id=None, tool_name=None, answer="corrupt"))

    assert isinstance(found, GateNote)
    assert (found.rule_id, found.tool_name, found.same_tool) == (None, "", None)


@pytest.mark.parametrize("as_text", [False, True], ids=["as an object", "as text"])
def test_a_session_end_is_read_from_the_payload_that_the_host_sent(as_text):
    payload = {"session_id": "s9", "transcript_path": "/t/9", "cwd": "/c", "reason": "clear", "user_email": "x@y"}

    found = read(
        note("session_end", session_id="-", cwd="", reason="", payload=json.dumps(payload) if as_text else payload)
    )

    assert isinstance(found, SessionEndNote)
    assert (found.session_id, found.transcript_path, found.cwd, found.reason) == ("s9", "/t/9", "/c", "clear")
    assert "user_email" not in found.payload
    assert found.problem == ""


@pytest.mark.parametrize(
    ("payload", "session_id", "problem"),
    [
        pytest.param('{"session_id": "s9", "transcript_p', "s9", "not a JSON object", id="cut off"),
        pytest.param("[1]", "-", "not a JSON object", id="a list"),
        pytest.param("", "-", "not a JSON object", id="empty"),
        pytest.param(None, "-", "not a JSON object", id="none"),
        pytest.param(
            {"session_id": "s9", "transcript_path": ["x"]}, "s9", "transcript_path is not text", id="a list in it"
        ),
        pytest.param(
            {"session_id": 9, "transcript_path": None}, "-", "session_id is not text", id="a number for the id"
        ),
    ],
)
def test_a_broken_payload_gives_what_can_be_read_and_a_problem(payload, session_id, problem):
    found = read(note("session_end", session_id="-", payload=payload))

    assert isinstance(found, SessionEndNote)
    assert found.session_id == session_id
    assert problem in found.problem
    assert found.transcript_path == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"v": 2}, "version 2"),
        ({"v": None}, "version None"),
        ({"kind": "dream"}, "'dream' is not known"),
        ({"kind": 3}, "kind is not text"),
        ({"id": ""}, "id has not 1 to"),
        ({"id": "x" * 200}, "id has not 1 to"),
        ({"id": ["x"]}, "id is not text"),
        ({"at": None}, "no time"),
        ({"at": -1}, "no time"),
        ({"at": 1e14}, "no time"),
        ({"at": 10**400}, "at is not a number"),
        ({"at": "now"}, "at is not a number"),
        ({"at": True}, "at is not a number"),
        ({"at": float("nan")}, "at is not a number"),
        ({"day": "yesterday"}, "'yesterday' is not a date"),
        ({"ms": "fast"}, "ms is not a number"),
        ({"kind": "failure", "deadline": "yes"}, "deadline is neither true nor false"),
        ({"session_id": {}}, "session_id is not text"),
        ({"shown": "x"}, "shown is not a list"),
        ({"shown": [1]}, "shown is not a list of objects"),
    ],
)
def test_a_note_with_a_field_that_cannot_be_is_refused(changes, reason):
    with pytest.raises(NoteRefused, match=reason):
        read(note("prompt", **changes))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "not JSON", id="empty"),
        pytest.param(b'{"v": 1, "id', "not JSON", id="torn"),
        pytest.param(b"\x82\xa0", "not UTF-8: see byte 1", id="cp932"),
        pytest.param(b"null", "not a JSON object", id="null"),
        pytest.param(b"[]", "not a JSON object", id="a list"),
        pytest.param(b"[" * 100_000, "not JSON", id="nested"),
        pytest.param(b" " * (MAX_NOTE_BYTES + 1), "larger than", id="huge"),
        pytest.param(b"1" * 5000, "not JSON", id="a number without end"),
    ],
)
def test_bytes_that_are_no_note_are_refused(data, reason):
    with pytest.raises(NoteRefused, match=reason):
        read_note(data)


def test_a_call_that_was_not_timed_has_no_milliseconds():
    assert read(note("prompt", ms=None)).ms is None


def test_an_unknown_answer_of_the_gate_is_refused():
    with pytest.raises(NoteRefused, match="answer 'maybe' is not known"):
        read(note("gate", answer="maybe"))


def test_text_that_a_database_would_not_take_is_made_storable():
    found = read(note("failure", message="a\0b\ud800c", session_id="s" * 300))

    assert found.message == "ab?c"
    assert found.session_id == "s" * 255


@given(st.sampled_from(sorted(KINDS)), st.dictionaries(st.sampled_from(sorted(note("gate"))), JSON_VALUES, max_size=3))
def test_whatever_stands_in_a_note_it_is_read_or_refused(kind, changes):
    data = json.dumps({**note(kind), **changes}).encode()

    try:
        found = read_note(data)
    except NoteRefused:
        return

    assert found.at < datetime(2101, 1, 1, tzinfo=UTC)
