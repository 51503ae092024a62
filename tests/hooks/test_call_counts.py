"""Stamps are counted once each, also the byte that comes while they are counted."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hooks.call_counts import ASIDE, count_stamps, set_stamps_aside
from hooks.filing import file_notes
from hooks.hot.stamps import add_stamp
from hooks.models import HookCall
from tests.hooks.spooled import NOON

pytestmark = pytest.mark.django_db


def stamp(folder, event, times):
    for _ in range(times):
        add_stamp(folder, event)


def test_a_byte_is_a_call_whatever_its_host(data_folder):
    stamp(data_folder, "pre-tool-use", 3)
    stamp(data_folder, "session-end", 1)

    file_notes(data_folder, now=NOON)
    stamp(data_folder, "pre-tool-use", 2)
    file_notes(data_folder, now=NOON)

    assert dict(HookCall.objects.counted().values_list("event", "calls")) == {"pre-tool-use": 5, "session-end": 1}
    assert not HookCall.objects.timed().exists()


def test_a_byte_that_comes_while_its_stamp_is_set_aside_is_counted_next_time(data_folder):
    stamp(data_folder, "pre-tool-use", 3)

    set_stamps_aside(data_folder)
    stamp(data_folder, "pre-tool-use", 2)
    first = count_stamps(data_folder, now=NOON)
    set_stamps_aside(data_folder)
    second = count_stamps(data_folder, now=NOON)

    assert (first, second) == (3, 2)


def test_what_was_set_aside_before_a_crash_is_counted_once(data_folder):
    stamp(data_folder, "pre-tool-use", 3)
    set_stamps_aside(data_folder)
    [aside] = Path(data_folder.stamps).glob(f"*{ASIDE}*")
    count_stamps(data_folder, now=NOON)
    aside.write_bytes(b"...")  # as if the process had died before it could remove the file

    assert count_stamps(data_folder, now=NOON) == 0

    assert HookCall.objects.get().calls == 3
    assert not aside.exists()


def test_the_empty_stamp_that_stays_tells_when_the_last_call_was(data_folder):
    stamp(data_folder, "pre-tool-use", 1)
    path = Path(data_folder.stamps, "pre-tool-use")
    moment = datetime(2026, 11, 29, 8, tzinfo=UTC)
    os.utime(path, (moment.timestamp(), moment.timestamp()))

    file_notes(data_folder, now=NOON)

    assert (path.stat().st_size, path.stat().st_mtime) == (0, moment.timestamp())
    row = HookCall.objects.get()
    assert (row.day.isoformat(), row.last_at) == ("2026-11-29", moment)


def test_stamps_that_are_no_events_are_left_alone(data_folder):
    stamp(data_folder, "deadline-pre-tool-use", 2)
    stamp(data_folder, "settle-asked", 1)

    file_notes(data_folder, now=NOON)

    assert not HookCall.objects.exists()
    assert Path(data_folder.stamps, "deadline-pre-tool-use").stat().st_size == 2
