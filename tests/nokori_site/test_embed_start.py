"""When `settle` starts an embed server: once somebody wants one, at most once a minute, and never a second one."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone
from filelock import FileLock

from hooks.hot.stamps import EMBED_ASKED, EMBED_BEGUN, add_stamp
from nokori_site.embed_start import start_embed_server
from retrieval.embeddings import control
from retrieval.embeddings.record import Record, read_record, update_record
from rules.pool import pool_counter
from tests.factories import make_rule
from tests.retrieval.listener import listening

pytestmark = pytest.mark.django_db
ENOUGH = 20


@pytest.fixture
def now(data_folder):
    """The clock of the stamps, which the file system writes."""
    return timezone.now()


@pytest.fixture
def start(data_folder, now):
    """start(**settings): has `settle` start one if one is wanted now; how many were started until now."""
    started = []

    def spawn(folder):
        started.append(folder)
        return True

    def run(*, later=0.0, **changes):
        config = replace(settings.NOKORI, **{"embed_backend": "light", **changes})
        moment = now + timedelta(seconds=later)
        before = len(started)
        is_started = start_embed_server(data_folder, config=config, now=moment, spawn=spawn)
        assert is_started == (len(started) > before)
        return len(started)

    return run


def make_rules(count, **changes):
    for number in range(count):
        make_rule(trigger=f"When number {number}", **changes)


def test_with_few_rules_nobody_starts_one(start, data_folder):
    make_rules(ENOUGH - 1)
    add_stamp(data_folder, EMBED_BEGUN)

    assert start() == 0


def test_from_twenty_rules_on_it_starts_by_itself_because_they_have_no_vectors(start):
    make_rules(ENOUGH)

    assert start() == 1


@pytest.mark.parametrize("status", ["candidate", "archived"])
def test_only_active_and_dormant_rules_count_towards_the_twenty(start, status):
    make_rules(ENOUGH - 1)
    make_rule(status=status, project_id="shop")

    assert start() == 0


def test_dormant_ones_count(start):
    make_rules(ENOUGH - 1)
    make_rule(status="dormant")

    assert start() == 1


def test_switched_on_it_starts_however_few_the_rules(start):
    make_rules(1)

    assert start(embed_enabled="on") == 1


def test_switched_off_it_never_starts(start, data_folder):
    make_rules(ENOUGH)
    add_stamp(data_folder, EMBED_ASKED)

    assert start(embed_enabled="off") == 0


def test_without_a_backend_it_never_starts(start, data_folder):
    make_rules(ENOUGH)
    add_stamp(data_folder, EMBED_ASKED)

    assert start(embed_backend="none") == 0


def test_auto_start_can_be_switched_off(start, data_folder):
    make_rules(ENOUGH)
    add_stamp(data_folder, EMBED_ASKED)

    assert start(embed_server_auto_start=False) == 0


def test_an_extraction_starts_none(start):
    make_rules(ENOUGH)

    assert start(extracting=True) == 0


def test_when_all_is_encoded_it_starts_for_a_session_or_a_prompt_only(start, data_folder):
    make_rules(ENOUGH)
    update_record(data_folder, counter=pool_counter())

    assert start() == 0
    add_stamp(data_folder, EMBED_BEGUN)
    assert start() == 1


def test_a_prompt_whose_pool_held_enough_rules_gets_one_though_the_database_counts_fewer(start, data_folder):
    make_rules(ENOUGH - 1)
    make_rule(status="candidate", project_id="shop")
    add_stamp(data_folder, EMBED_ASKED)

    assert start() == 1


def test_a_wish_is_forgotten_after_ten_minutes(start, data_folder):
    make_rules(ENOUGH)
    update_record(data_folder, counter=pool_counter())
    add_stamp(data_folder, EMBED_ASKED)

    assert start(later=700) == 0


def test_a_change_of_the_rules_starts_one_to_encode_it(start, data_folder):
    make_rules(ENOUGH)
    update_record(data_folder, counter=pool_counter())

    make_rule(trigger="Restoring a backup")

    assert start() == 1


def test_it_starts_at_most_once_a_minute(start):
    make_rules(ENOUGH)

    assert [start(later=seconds) for seconds in (0, 50)] == [1, 1]
    assert start(later=70) == 2


def test_one_that_runs_is_left_alone(start, data_folder):
    make_rules(ENOUGH)

    with listening(data_folder, sends={"state": "starting"}):
        assert start() == 0


def test_one_that_was_stopped_by_hand_stays_down_until_somebody_wants_it(start, data_folder, now):
    make_rules(ENOUGH)
    add_stamp(data_folder, EMBED_ASKED)
    update_record(data_folder, stopped_at=now.timestamp() + 1)

    assert start(later=2) == 0
    update_record(data_folder, stopped_at=now.timestamp() - 5)
    assert start(later=2) == 1


def test_a_model_that_could_not_be_loaded_is_tried_again_after_ten_minutes(start, data_folder, now):
    make_rules(ENOUGH)
    update_record(data_folder, problem="The model is not there.", failed_at=now.timestamp())

    assert start(later=500) == 0
    assert start(later=700) == 1


def test_it_is_tried_again_at_once_when_the_settings_were_edited(start, data_folder, now):
    make_rules(ENOUGH)
    update_record(data_folder, problem="The model is not there.", failed_at=now.timestamp() - 60)

    Path(data_folder.config_toml).write_text("")

    assert start() == 1


def test_what_it_failed_of_is_forgotten_with_the_start(start, data_folder, now):
    make_rules(ENOUGH)
    update_record(data_folder, problem="The model is not there.", failed_at=now.timestamp() - 1_000)

    start()

    assert read_record(data_folder) == replace(Record(), started_at=read_record(data_folder).started_at)


def test_a_lock_whose_owner_is_not_known_for_certain_is_left_alone(start, data_folder):
    make_rules(ENOUGH)
    Path(data_folder.root).mkdir(exist_ok=True)

    with FileLock(data_folder.embed_lock), pytest.raises(control.ServerNotEnded, match="by hand"):
        start()
