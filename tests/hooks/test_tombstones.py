"""A rule that was retired in a chat stays silent until the rows and the published files say so themselves."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from hooks.filing import file_notes
from hooks.tombstones import clear_tombstones
from rules.authoring import dismiss_rule, move_by_hand
from rules.lifecycle import Mover, Status
from tests.factories import make_rule
from tests.hooks.spooled import NOON, match, note, spool

pytestmark = pytest.mark.django_db(transaction=True)  # publishing reads what is committed


@pytest.fixture
def bury(data_folder):
    def bury(rule, *, at=NOON):
        path = Path(data_folder.tombstones, rule.short_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"rule_id": str(rule.pk), "session_id": "s1", "at": at.timestamp() + 0.5}))
        return path

    return bury


def test_it_goes_once_its_note_is_filed_and_published(data_folder, bury):
    rule = make_rule()
    path = bury(rule)
    spool(data_folder, note("prompt", dismissed=[match(rule)], at=NOON.timestamp() + 0.5))

    file_notes(data_folder, now=NOON)

    assert not path.exists()


def test_it_stays_while_its_note_has_not_come(data_folder, bury):
    rule = make_rule()
    path = bury(rule)

    clear_tombstones(data_folder, now=NOON + timedelta(seconds=5))

    rule.refresh_from_db()
    assert (path.exists(), rule.status) == (True, "active")


def test_it_takes_the_place_of_a_note_that_was_lost(data_folder, bury):
    rule = make_rule()
    path = bury(rule)

    clear_tombstones(data_folder, now=NOON + timedelta(minutes=2))

    rule.refresh_from_db()
    assert (path.exists(), rule.status, rule.history.get().by) == (False, "archived", "chat")


def test_it_stays_while_the_published_files_are_behind(data_folder, bury, monkeypatch):
    rule = make_rule()
    path = bury(rule)
    dismiss_rule(rule, by=Mover.CHAT, now=NOON + timedelta(seconds=1))
    monkeypatch.setattr("hooks.tombstones.is_stale", lambda: True)

    assert clear_tombstones(data_folder, now=NOON) == 0

    assert path.exists()


def test_it_does_not_retire_a_rule_again_whose_dismissal_was_taken_back(data_folder, bury):
    rule = make_rule()
    path = bury(rule)
    dismiss_rule(rule, by=Mover.CHAT, now=NOON + timedelta(seconds=1))
    move_by_hand(rule, Status.ACTIVE, by=Mover.COMMAND, now=NOON + timedelta(seconds=2))

    clear_tombstones(data_folder, now=NOON + timedelta(minutes=2))

    rule.refresh_from_db()
    assert (path.exists(), rule.status) == (False, "active")


def test_one_of_a_rule_that_is_gone_goes(data_folder, bury):
    rule = make_rule()
    path = bury(rule)
    rule.delete()

    clear_tombstones(data_folder, now=NOON)

    assert not path.exists()


@pytest.mark.parametrize("content", ["\x00", "[]", '{"at": 1e400}', '{"at": "x"}', "{}"])
def test_a_damaged_one_counts_by_its_time(data_folder, bury, content):
    path = bury(make_rule())
    path.write_text(content)

    clear_tombstones(data_folder, now=NOON + timedelta(days=36500))

    assert not path.exists()


def test_one_of_a_rule_that_was_retired_before_goes_and_retires_nothing_later(data_folder, bury):
    rule = make_rule()
    dismiss_rule(rule, by=Mover.COMMAND, now=NOON - timedelta(hours=1))
    path = bury(rule)

    clear_tombstones(data_folder, now=NOON + timedelta(seconds=5))
    move_by_hand(rule, Status.ACTIVE, by=Mover.COMMAND, now=NOON + timedelta(seconds=10))
    clear_tombstones(data_folder, now=NOON + timedelta(minutes=5))

    rule.refresh_from_db()
    assert (path.exists(), rule.status) == (False, "active")


def test_one_older_than_the_taking_back_of_its_rule_retires_nothing(data_folder, bury):
    rule = make_rule()
    dismiss_rule(rule, by=Mover.COMMAND, now=NOON - timedelta(hours=1))
    path = bury(rule)
    move_by_hand(rule, Status.ACTIVE, by=Mover.COMMAND, now=NOON + timedelta(seconds=10))

    clear_tombstones(data_folder, now=NOON + timedelta(minutes=5))

    rule.refresh_from_db()
    assert (path.exists(), rule.status) == (False, "active")
