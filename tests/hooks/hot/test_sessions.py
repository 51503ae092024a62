"""A session between its hook calls: projects by folder, what was shown, and files of any state."""

import json
from pathlib import Path

import pytest

from hooks.hot.events import HookEvent
from hooks.hot.sessions import (
    DISMISSIBLE_SECONDS,
    MAX_PROJECTS,
    MAX_SHOWN,
    Session,
    SessionUnreadable,
    open_session,
    save_session,
    session_of,
)
from rules.projects import project_id
from tests.hooks.hot.conftest import NOW, SESSION

EVENT = HookEvent(event="user-prompt-submit", session_id=SESSION, cwd="/somewhere")


@pytest.fixture
def session():
    return Session(SESSION, now=NOW)


def show(session, short_id="a1b2c3", *, is_full=True, now=NOW):
    session.remember(short_id, rule_id=f"rule-{short_id}", is_full=is_full, now=now)


def saved(**changes):
    """A session file, with changes."""
    content = {"v": 1, "session_id": SESSION, "started_at": 1, "cwd": "", "prompt_key": "", "compacted_at": None}
    return json.dumps({**content, "projects": {}, "shown": {}, **changes}).encode()


def test_a_session_is_read_as_it_was_saved(data_folder, session):
    show(session)
    session.projects["/somewhere"] = "somewhere-00000000"
    save_session(data_folder, session, EVENT, now=NOW + 5)

    again = open_session(data_folder, EVENT, now=NOW + 9)

    assert (again.started_at, again.cwd, again.projects) == (NOW, "/somewhere", {"/somewhere": "somewhere-00000000"})
    assert again.has_in_full("a1b2c3")


def test_what_was_once_shown_in_full_stays_so_until_a_compaction(session):
    show(session)
    show(session, is_full=False)
    before = session.has_in_full("a1b2c3")

    session.compact(now=NOW)

    assert (before, session.has_in_full("a1b2c3")) == (True, False)


def test_what_was_shown_may_be_retired_for_a_day(session):
    show(session, "aaaaaa", now=NOW - DISMISSIBLE_SECONDS)
    show(session, "bbbbbb", now=NOW - DISMISSIBLE_SECONDS + 1)

    assert session.dismissible(now=NOW) == {"bbbbbb": "rule-bbbbbb"}


def test_a_clock_that_went_back_takes_no_rule_away(session):
    show(session, now=NOW + 3600)

    assert session.dismissible(now=NOW) == {"a1b2c3": "rule-a1b2c3"}


def test_the_file_is_bounded(session):
    for number in range(MAX_SHOWN + 10):
        show(session, f"{number:06x}")
    for number in range(MAX_PROJECTS + 10):
        session.project_of(f"/folder-{number}", isolate_worktrees=False)

    assert (len(session.shown), len(session.projects)) == (MAX_SHOWN, MAX_PROJECTS)
    assert f"{MAX_SHOWN + 9:06x}" in session.shown


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"null",
        b"\xff",
        b'{"v": 1, "session_id": "' + SESSION.encode() + b'", "shown": 5}',
        b"[" * 99_999,
        saved(started_at=10**400),
        saved(compacted_at=float("nan")),
        saved(shown={"abcdef": {"rule_id": "r", "at": float("inf"), "full": True}}),
    ],
)
def test_a_damaged_file_is_unreadable(data_folder, content):
    path = Path(data_folder.sessions, f"{SESSION}.json")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)

    with pytest.raises(SessionUnreadable):
        open_session(data_folder, EVENT, now=NOW)


def test_a_damaged_file_is_a_new_session_and_a_failure_of_the_call(make_call, data_folder):
    path = Path(data_folder.sessions, f"{SESSION}.json")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"damaged")
    call = make_call()

    session = session_of(call)

    assert session.shown == {}
    assert [type(failure) for failure in call.failures] == [SessionUnreadable]


def test_the_call_learns_its_project_from_the_folder_of_its_event(make_call, tmp_path):
    call = make_call(cwd=str(tmp_path))

    session_of(call)

    assert call.project_id == project_id(str(tmp_path))


def test_without_a_folder_in_the_event_it_is_the_hooks_own(make_call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = make_call(cwd="")

    session_of(call)

    assert call.project_id == project_id(str(tmp_path))


def test_a_host_that_names_no_session_leaves_no_file(data_folder, session):
    save_session(data_folder, session, HookEvent(event="user-prompt-submit"), now=NOW)

    assert not Path(data_folder.sessions).exists()
