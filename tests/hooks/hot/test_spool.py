"""Notes: whole files with names that sort by time."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hooks.hot.maildir import deliver, new_note_id
from hooks.hot.spool import failure_note, leave_note, note_of
from tests.hooks.hot.conftest import NOW, SESSION


def test_a_note_says_who_when_and_where(make_call):
    note: dict[str, Any] = note_of(make_call(), "prompt", machine=False)

    assert (note["v"], note["kind"], note["at"], note["session_id"]) == (1, "prompt", NOW, SESSION)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", note["day"])
    assert note["ms"] > 0
    assert note["machine"] is False


def test_a_note_is_a_file_named_by_its_id(data_folder, make_call):
    note = note_of(make_call(), "prompt")

    leave_note(data_folder, note)

    path = Path(data_folder.spool_new, f"{note['id']}.json")
    assert json.loads(path.read_bytes()) == note
    assert path.stat().st_mode & 0o077 == 0


def test_names_sort_by_time_and_are_unique():
    names = [new_note_id(NOW + second) for second in (0, 0.001, 1, 1_000_000)]

    assert names == sorted(names)
    assert len({new_note_id(NOW) for _ in range(1000)}) == 1000


def test_a_failure_is_one_line_of_bounded_length():
    note: dict[str, Any] = failure_note("user-prompt-submit", ValueError("a\nb " + "x" * 1000), now=NOW)

    assert (note["kind"], note["error"], note["deadline"]) == ("failure", "ValueError", False)
    assert note["message"].startswith("a b x")
    assert len(note["message"]) == 300


def test_text_of_any_kind_can_be_noted(data_folder, make_call):
    leave_note(data_folder, note_of(make_call(cwd="/漢/\ud83d"), "prompt"))

    assert len(list(Path(data_folder.spool_new).glob("*.json"))) == 1


def test_a_note_that_the_disk_does_not_take_leaves_nothing_half_written(data_folder):
    Path(data_folder.root).mkdir(parents=True)
    Path(data_folder.path("spool")).write_bytes(b"in the way")

    with pytest.raises(OSError, match="spool"):
        deliver(data_folder, "name", b"{}")
