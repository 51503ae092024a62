"""The gate's files: armed, spent, stripped when their rule changes."""

from pathlib import Path
from typing import Any

import pytest

from hooks.hot.events import HookEvent
from hooks.hot.gate import strip_markers
from hooks.hot.markers import (
    Marker,
    MarkerUnreadable,
    clear_marker,
    has_marker,
    keep_through,
    read_marker,
    read_spent,
    record_deny,
    save_marker,
)
from tests.hooks.hot.conftest import NOW

CALL = HookEvent(event="pre-tool-use", session_id="s", tool_name="Bash", tool_use_id="t1")


def make_marker(**changes):
    values: dict[str, Any] = {
        "session_id": "s",
        "prompt_ids": ("p1",),
        "armed_at": NOW,
        "rule_id": "rule-1",
        "short_id": "a1b2c3",
        "tool_pattern": "",
        "reason": "read this",
    }
    return Marker(**values | changes)


def test_a_marker_is_read_as_it_was_saved(data_folder):
    save_marker(data_folder, make_marker(reason="漢 \ud83d"))

    marker = read_marker(data_folder, "s")

    assert marker
    assert (marker.prompt_ids, marker.armed_at, marker.reason) == (("p1",), NOW, "漢 \ud83d")


def test_a_session_without_a_gate_has_none(data_folder):
    assert read_marker(data_folder, "s") is None
    assert read_spent(data_folder, "s") is None
    assert not has_marker(data_folder, "s")


@pytest.mark.parametrize("session_id", ["../../outside", "a/b", "x" * 300, "\x00", "漢", "CON", "-", "\ud83d"])
def test_a_strange_session_id_stays_inside_the_folder(data_folder, session_id):
    save_marker(data_folder, make_marker(session_id=session_id))

    assert [path.parent for path in Path(data_folder.root).rglob("*.json")] == [Path(data_folder.gate_markers)]
    assert has_marker(data_folder, session_id)


def test_a_marker_of_another_version_is_unreadable(data_folder):
    save_marker(data_folder, make_marker())
    path = Path(data_folder.gate_markers, "s.json")
    path.write_text(path.read_text().replace('"v": 1', '"v": 2'))

    with pytest.raises(MarkerUnreadable):
        read_marker(data_folder, "s")


def test_of_several_denies_the_first_tells_when_and_all_tell_whom(data_folder):
    save_marker(data_folder, make_marker())
    record_deny(data_folder, CALL, now=NOW)
    record_deny(data_folder, HookEvent(event="pre-tool-use", session_id="s", tool_use_id="t2"), now=NOW + 1)

    spent = read_spent(data_folder, "s")
    assert spent
    assert (spent.denied_at, spent.tool_name, spent.tool_use_ids) == (NOW, "Bash", frozenset({"t1", "t2"}))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"damaged\n",
        b"[]\n",
        b'{"denied_at": "x", "tool_name": "", "tool_use_id": ""}',
        b'{"denied_at": 1%s, "tool_name": "", "tool_use_id": ""}' % (b"0" * 400),
        b'{"denied_at": NaN, "tool_name": "", "tool_use_id": ""}',
    ],
)
def test_of_a_damaged_deny_only_its_time_counts(data_folder, content):
    path = Path(data_folder.gate_markers, "s.spent")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)

    spent = read_spent(data_folder, "s")

    assert spent
    assert spent.denied_at == path.stat().st_mtime
    assert (spent.tool_name, spent.tool_use_ids) == ("", frozenset())


def test_clearing_takes_the_deny_away_too(data_folder):
    save_marker(data_folder, make_marker())
    record_deny(data_folder, CALL, now=NOW)

    clear_marker(data_folder, "s")

    assert list(Path(data_folder.gate_markers).iterdir()) == []


def test_changed_rules_lose_their_gates_and_others_keep_theirs(data_folder):
    save_marker(data_folder, make_marker(session_id="one", rule_id="rule-1"))
    save_marker(data_folder, make_marker(session_id="two", rule_id="rule-1"))
    save_marker(data_folder, make_marker(session_id="three", rule_id="rule-2"))
    record_deny(data_folder, HookEvent(event="pre-tool-use", session_id="one"), now=NOW)

    stripped = strip_markers(data_folder, frozenset({"rule-1", "rule-9"}))

    assert stripped == 2
    assert [path.name for path in Path(data_folder.gate_markers).iterdir()] == ["three.json"]


def test_stripping_passes_damaged_markers_over(data_folder):
    save_marker(data_folder, make_marker())
    Path(data_folder.gate_markers, "bad.json").write_bytes(b"damaged")

    assert strip_markers(data_folder, {"rule-1"}) == 1


def test_stripping_where_nothing_was_ever_armed(data_folder):
    assert strip_markers(data_folder, {"rule-1"}) == 0


@pytest.mark.parametrize(
    ("armed_for", "machine_id", "expected"),
    [(("p1",), "p2", ("p1", "p2")), (("p1",), "p1", ("p1",)), ((), "p2", ()), (("p1",), "", ("p1",))],
    ids=["a new id", "the same id", "ids were never sent", "no id"],
)
def test_a_machines_prompt_is_one_of_the_markers_prompts(data_folder, armed_for, machine_id, expected):
    save_marker(data_folder, make_marker(prompt_ids=armed_for))

    keep_through(data_folder, HookEvent(event="user-prompt-submit", session_id="s", prompt_id=machine_id))

    marker = read_marker(data_folder, "s")
    assert marker
    assert marker.prompt_ids == expected
