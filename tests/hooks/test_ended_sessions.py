import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from extraction.models import ExtractJob
from hooks.ended_sessions import end_abandoned_sessions, publish_ended_sessions
from hooks.models import AgentSession
from tests.factories import NOW

pytestmark = pytest.mark.django_db
TWO_DAYS = timedelta(days=2)


def make_session(name, **changes):
    values = {
        "session_id": name,
        "cwd": "/app",
        "started_at": NOW - TWO_DAYS,
        "last_activity": NOW - TWO_DAYS,
        "transcript_path": f"/t/{name}.jsonl",
    }
    return AgentSession.objects.create(**values | changes)


@pytest.fixture
def transcript(tmp_path):
    """transcript(age) is a file that was written to that long ago."""

    def write(age):
        path = tmp_path / "s.jsonl"
        path.write_text("{}\n")
        moment = (NOW - age).timestamp()
        os.utime(path, (moment, moment))
        return str(path)

    return write


def test_a_session_whose_client_was_killed_ends_after_a_day_and_gets_its_job(transcript):
    session = make_session("a", transcript_path=transcript(TWO_DAYS), project_id="app-12345678")

    assert end_abandoned_sessions(now=NOW) == 1

    session.refresh_from_db()
    assert (session.ended_at, session.end_reason) == (NOW, "no end was sent")
    job = ExtractJob.objects.get()
    assert (job.transcript_path, job.project_id, job.status) == (session.transcript_path, "app-12345678", "pending")


def test_a_session_whose_transcript_still_grows_is_not_over(transcript):
    make_session("a", transcript_path=transcript(timedelta(hours=1)))

    assert end_abandoned_sessions(now=NOW) == 0


def test_a_session_that_was_active_today_is_not_over(transcript):
    make_session("a", transcript_path=transcript(TWO_DAYS), last_activity=NOW - timedelta(hours=23))

    assert end_abandoned_sessions(now=NOW) == 0


def test_a_session_without_a_transcript_ends_without_a_job():
    make_session("a", transcript_path="")

    assert end_abandoned_sessions(now=NOW) == 1
    assert not ExtractJob.objects.exists()


def test_an_ended_session_is_not_ended_again(transcript):
    make_session("a", transcript_path=transcript(TWO_DAYS))
    end_abandoned_sessions(now=NOW)

    assert end_abandoned_sessions(now=NOW) == 0
    assert ExtractJob.objects.count() == 1


def published(folder):
    return json.loads(Path(folder.published, "ended_sessions.json").read_text())["by_cwd"]


def test_of_each_folder_the_last_session_that_ended_is_published(data_folder):
    make_session("old", ended_at=NOW - timedelta(hours=3))
    make_session("last", ended_at=NOW - timedelta(hours=1))
    make_session("open")
    make_session("elsewhere", cwd="/other", ended_at=NOW)

    assert publish_ended_sessions(data_folder)

    assert published(data_folder) == {"/app": "/t/last.jsonl", "/other": "/t/elsewhere.jsonl"}


def test_the_file_is_written_only_when_it_changes(data_folder):
    make_session("a", ended_at=NOW)

    assert [publish_ended_sessions(data_folder), publish_ended_sessions(data_folder)] == [True, False]
