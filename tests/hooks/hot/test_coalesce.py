"""One event, seen by two registrations, is answered once; a second event of the same kind is another one."""

import os
from pathlib import Path

import pytest

from hooks.hot.coalesce import WINDOW_SECONDS, claim
from hooks.hot.events import HookEvent

NOW = 1_796_000_000.0


def prompt(**fields):
    return HookEvent(**{"event": "user-prompt-submit", "session_id": "s", "prompt": "continue"} | fields)


def claim_at(folder, event, *, now):
    """A claim as it is made at that time."""
    known = set(Path(folder.coalesce).glob("*"))
    won = claim(event, folder=folder, now=now)
    for path in set(Path(folder.coalesce).glob("*")) - known:
        os.utime(path, (now, now))
    return won


def test_the_first_claim_wins(data_folder):
    assert [claim_at(data_folder, prompt(), now=NOW) for _ in range(3)] == [True, False, False]


def test_the_window_lasts_seconds(data_folder):
    claim_at(data_folder, prompt(), now=NOW)

    assert not claim_at(data_folder, prompt(), now=NOW + WINDOW_SECONDS - 0.1)
    assert claim_at(data_folder, prompt(), now=NOW + WINDOW_SECONDS + 0.1)


def test_a_clock_that_went_back_silences_nobody(data_folder):
    claim_at(data_folder, prompt(), now=NOW)

    assert claim_at(data_folder, prompt(), now=NOW - 60)


@pytest.mark.parametrize(
    "other",
    [
        {"session_id": "t"},
        {"prompt": "yes"},
        {"prompt_id": "p2"},
        {"event": "session-start", "source": "resume"},
    ],
    ids=["session", "prompt", "prompt id", "event"],
)
def test_another_occasion_is_claimed_by_itself(data_folder, other):
    claim_at(data_folder, prompt(), now=NOW)

    assert claim_at(data_folder, prompt(**other), now=NOW)


def test_two_starts_of_a_session_are_told_apart_by_their_source(data_folder):
    starts = [HookEvent(event="session-start", session_id="s", source=source) for source in ("compact", "resume")]

    assert [claim_at(data_folder, start, now=NOW) for start in starts] == [True, True]


def test_a_session_without_a_name_is_never_silenced(data_folder):
    nameless = prompt(session_id="-")

    assert [claim(nameless, folder=data_folder, now=NOW) for _ in range(2)] == [True, True]


def test_a_disk_that_takes_no_claim_silences_nobody(data_folder):
    Path(data_folder.root).mkdir(parents=True)
    Path(data_folder.coalesce).write_bytes(b"in the way")

    assert [claim(prompt(), folder=data_folder, now=NOW) for _ in range(2)] == [True, True]


def test_a_claim_leaves_one_empty_file(data_folder):
    claim_at(data_folder, prompt(), now=NOW)
    claim_at(data_folder, prompt(), now=NOW + 60)

    (path,) = Path(data_folder.coalesce).iterdir()
    assert path.stat().st_size == 0
