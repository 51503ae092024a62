"""A hook's own time limit, and the pause after three misses."""

import os
import time
from pathlib import Path

import pytest

from hooks.hot.deadline import LIMIT_SECONDS, PAUSE_SECONDS, Deadline, forget_misses, is_pausing
from hooks.hot.stamps import add_stamp
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH

HOST_LIMITS = {"session-start": 5, "user-prompt-submit": 10, "pre-tool-use": 5, "session-end": 1.5}  # seconds


@pytest.fixture
def stuck(data_folder):
    """A file whose opening waits for ever, as on a network drive that went away."""
    Path(data_folder.published).mkdir(parents=True)
    path = Path(data_folder.published, "config.json")
    os.mkfifo(path)
    return path


def miss(folder, event, *, times):
    for _ in range(times):
        add_stamp(folder, f"deadline-{event}")


def test_nb057_a_hook_that_is_stuck_ends_in_time_and_says_so(run_hook, stuck, notes):
    started = time.monotonic()

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    assert done.is_pass
    assert time.monotonic() - started < LIMIT_SECONDS["user-prompt-submit"] + 2
    assert [(note["event"], note["error"], note["deadline"]) for note in notes()] == [
        ("user-prompt-submit", "DeadlineMissed", True)
    ]


def test_what_goes_wrong_while_a_fault_is_noted_ends_in_time_too(run_hook, stuck):
    assert run_hook("user-prompt-submit", raw=b"nonsense").is_pass


def test_strict_or_not_a_hook_that_is_late_is_a_pass(run_hook, stuck):
    assert run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env={"NOKORI_STRICT": "1"}).is_pass


@pytest.mark.parametrize("event", HOST_LIMITS)
def test_each_limit_is_below_the_hosts(event):
    assert LIMIT_SECONDS[event] < HOST_LIMITS[event]


@pytest.mark.parametrize(("misses", "pauses"), [(0, False), (2, False), (3, True), (9, True)])
def test_three_misses_in_a_row_make_a_pause(data_folder, misses, pauses):
    miss(data_folder, "user-prompt-submit", times=misses)

    assert is_pausing("user-prompt-submit", data_folder, now=time.time()) == pauses


def test_a_pause_ends_after_ten_minutes(data_folder):
    miss(data_folder, "user-prompt-submit", times=3)

    assert not is_pausing("user-prompt-submit", data_folder, now=time.time() + PAUSE_SECONDS + 1)


def test_a_clock_that_went_back_makes_no_endless_pause(data_folder):
    miss(data_folder, "user-prompt-submit", times=3)

    assert not is_pausing("user-prompt-submit", data_folder, now=time.time() - 3600)


def test_a_call_in_time_forgets_the_misses_before(data_folder):
    miss(data_folder, "user-prompt-submit", times=2)
    forget_misses("user-prompt-submit", data_folder)
    miss(data_folder, "user-prompt-submit", times=2)

    assert not is_pausing("user-prompt-submit", data_folder, now=time.time())


def test_one_event_does_not_pause_for_another(data_folder):
    miss(data_folder, "session-start", times=3)

    assert not is_pausing("user-prompt-submit", data_folder, now=time.time())


def test_nb057_while_it_pauses_a_prompt_is_not_searched_with_but_ends_the_gate(run_hook, publish, data_folder):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="1")
    miss(data_folder, "user-prompt-submit", times=3)

    paused = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id="2")

    assert paused.is_pass
    assert run_hook("pre-tool-use", tool_name="Bash", tool_input={}).is_pass


def test_a_pause_is_not_over_because_the_cheap_part_was_in_time(run_hook, publish, data_folder):
    publish(FORCE_PUSH)
    miss(data_folder, "user-prompt-submit", times=3)

    answers = [run_hook("user-prompt-submit", prompt=FORCE_PROMPT, prompt_id=number).context for number in ("1", "2")]

    assert answers == ["", ""]


def test_where_there_is_no_room_for_a_thread_the_call_goes_on_without_a_clock(data_folder, monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("_thread.start_new_thread", refuse)

    deadline = Deadline("user-prompt-submit", data_folder)
    deadline.stop()

    assert deadline._answer_right.locked()
