import os
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings

from extraction.models import ExtractJob, ExtractRun
from extraction.worker import extract_lock
from hooks.models import AgentSession
from nokori_site.extraction_start import ASKED, MAX_STARTS, start_extraction
from nokori_site.settle import settle
from tests.extraction.making import make_job
from tests.factories import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def started(data_folder, monkeypatch):
    """The folders for which an extractor was started, instead of starting one."""
    starts: list[object] = []
    monkeypatch.setattr("nokori_site.extraction_start.spawn_extract", starts.append)
    return starts


def start(folder, *, mode="async", now=NOW, **changes):
    return start_extraction(folder, config=replace(settings.NOKORI, extract_mode=mode, **changes), now=now)


def open_session(name="other"):
    AgentSession.objects.create(session_id=name, started_at=NOW, last_activity=NOW)


def test_a_job_that_waits_starts_the_extractor(started, data_folder):
    make_job()

    assert start(data_folder)
    assert started == [data_folder]


def test_by_default_extraction_is_yours_to_start(started, data_folder):
    make_job()

    assert not start(data_folder, mode="manual")


def test_without_a_job_nothing_starts(started, data_folder):
    assert not start(data_folder)


def test_a_job_that_failed_a_moment_ago_starts_nothing(started, data_folder):
    make_job()
    ExtractJob.objects.update(attempts=1, updated_at=NOW)

    assert not start(data_folder)
    assert start(data_folder, now=NOW + timedelta(hours=1))


def test_a_job_that_a_killed_extractor_left_starts_one(started, data_folder):
    make_job()
    ExtractJob.objects.update(status="running")

    assert start(data_folder)


def test_nothing_starts_beside_an_extraction_at_work(started, data_folder):
    make_job()

    with extract_lock(data_folder):
        assert not start(data_folder)


def test_nb061_an_extraction_starts_no_other(started, data_folder):
    make_job()

    assert not start(data_folder, extracting=True)


def test_with_other_sessions_open_it_waits_if_so_set(started, data_folder):
    make_job()
    open_session()

    assert not start(data_folder, extract_defer_active=True)
    assert start(data_folder)


def test_a_session_that_is_over_defers_nothing(started, data_folder):
    make_job()
    open_session()
    AgentSession.objects.update(ended_at=NOW)

    assert start(data_folder, extract_defer_active=True)


def test_two_settles_in_a_row_start_one(started, data_folder):
    make_job()
    moment = time.time()

    assert [start(data_folder, now=NOW.fromtimestamp(moment + seconds, tz=NOW.tzinfo)) for seconds in (0, 5)] == [
        True,
        False,
    ]


def test_nb062_there_is_a_cap_on_automatic_runs(started, data_folder):
    make_job()
    for number in range(MAX_STARTS):
        ExtractRun.objects.create(is_automatic=True, started_at=NOW - timedelta(minutes=number))

    assert not start(data_folder)
    assert start(data_folder, now=NOW + timedelta(hours=1))


def test_settle_starts_what_is_due(started, data_folder):
    make_job()

    settle(data_folder, config=replace(settings.NOKORI, extract_mode="async"), clock=lambda: NOW)

    assert started == [data_folder]
    assert Path(data_folder.stamps, ASKED).exists()


@pytest.mark.django_db(transaction=True)
def test_the_started_process_outlives_its_starter_and_logs_what_it_says(run_manage, data_folder, monkeypatch):
    monkeypatch.delenv("NOKORI_NO_SPAWN")
    monkeypatch.setenv("NOKORI_EXTRACT_MODE", "async")
    monkeypatch.setenv("PATH", os.defpath)
    note = Path(data_folder.spool_new, "1-n.json")
    note.parent.mkdir(parents=True)
    payload = '{\\"session_id\\": \\"s1\\", \\"transcript_path\\": \\"/nowhere/s.jsonl\\"}'
    note.write_text(
        '{"v": 1, "id": "1-n", "kind": "session_end", "at": 1796040000.0, "day": "2026-11-30", "event": "session-end", "host": "claude", '
        f'"project_id": "", "ms": 1.0, "payload": "{payload}"}}'
    )

    assert run_manage("settle").returncode == 0

    log = Path(data_folder.logs, "async-extract.log")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (log.exists() and log.read_text()):
        time.sleep(0.2)
    assert "nokori: " in log.read_text()
