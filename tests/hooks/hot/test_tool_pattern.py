"""A user's regular expression on the input of a tool call."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hooks.hot.tool_pattern import MAX_TEXT, PatternTooSlow, fits_whole, input_texts, search_in_child, touches

RUNAWAY = r"(a|a)+$"


@pytest.mark.parametrize(
    ("pattern", "tool_input", "expected"),
    [
        ("", {}, True),
        ("push.*--force", {"command": "git push origin --force"}, True),
        ("push.*--force", {"command": "git push"}, False),
        (r"\.env$", {"file_path": "/p/.env", "content": "x"}, True),
        (r"(?m)^DROP", {"content": "begin;\nDROP TABLE x"}, True),
        ('"replace_all": true', {"replace_all": True}, True),
        ("deep", {"edits": [{"new_string": "deep inside"}]}, True),
        ("漢字", {"content": "漢字"}, True),
        ("(", {"command": "ls"}, True),
        ("*", {"command": "ls"}, True),
    ],
)
def test_a_call_is_touched_when_its_input_matches(pattern, tool_input, expected):
    assert touches(pattern, tool_input) == expected


def test_only_the_beginning_of_a_long_input_is_looked_at():
    assert not touches("needle", {"content": "x" * MAX_TEXT + "needle"})


def test_the_text_is_bounded_whatever_the_input():
    assert [len(text) for text in input_texts({"content": "x" * 1_000_000})] == [MAX_TEXT, MAX_TEXT]


def test_a_pattern_that_runs_away_is_stopped():
    started = time.monotonic()

    with pytest.raises(PatternTooSlow):
        touches(RUNAWAY, {"command": "a" * 200 + "!"})

    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("Ba.*", True), ("(?i)bash", True), ("as", False), ("", False), ("(", False), ("a{99999999999}", False)],
)
def test_a_name_fits_when_all_of_it_matches(pattern, expected):
    assert fits_whole(pattern, "Bash") == expected


def test_a_pattern_that_runs_away_on_a_name_is_stopped():
    with pytest.raises(PatternTooSlow):
        fits_whole(RUNAWAY, "a" * 200 + "!")


def test_in_a_thread_a_process_answers(monkeypatch):
    monkeypatch.setattr("hooks.hot.tool_pattern.CHILD_SECONDS", 30.0)

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(fits_whole, "Ba.*", "Bash").result()
        assert not thread.submit(fits_whole, "as", "Bash").result()


class TestWithoutATimer:
    """As on Windows, where nothing can interrupt a search."""

    @pytest.fixture(autouse=True)
    def _no_timer(self, monkeypatch):
        monkeypatch.delattr("signal.setitimer")

    @pytest.mark.parametrize(("command", "expected"), [("git push --force", True), ("git push", False)])
    def test_a_call_is_touched_all_the_same(self, command, expected, monkeypatch):
        monkeypatch.setattr("hooks.hot.tool_pattern.CHILD_SECONDS", 30.0)

        assert touches("push.*--force", {"command": command}) == expected

    def test_a_pattern_that_runs_away_is_stopped(self):
        started = time.monotonic()

        with pytest.raises(PatternTooSlow):
            touches(RUNAWAY, {"command": "a" * 200 + "!"})

        assert time.monotonic() - started < 5

    def test_a_process_that_fails_leaves_the_call_alone(self):
        with pytest.raises(PatternTooSlow):
            search_in_child("(", ["text"])
