"""A session end becomes one job, however often its note is filed."""

from datetime import UTC, datetime, timedelta

import pytest

from extraction.jobs import EndedSession, enqueue
from extraction.models import ExtractJob

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENDED = EndedSession(note_id="n1", session_id="s1", transcript_path="/t/s1.jsonl", project_id="app-12345678")

pytestmark = pytest.mark.django_db


def test_an_ended_session_becomes_a_pending_job():
    enqueue(ENDED, now=NOON)

    job = ExtractJob.objects.waiting().get()
    assert (job.transcript_path, job.session_id, job.project_id) == ("/t/s1.jsonl", "s1", "app-12345678")
    assert (job.status, job.attempts, job.created_at) == (ExtractJob.Status.PENDING, 0, NOON)


def test_the_same_note_makes_no_second_job_and_leaves_the_first_as_it_is():
    job = enqueue(ENDED, now=NOON)
    ExtractJob.objects.update(status=ExtractJob.Status.DONE)

    again = enqueue(ENDED, now=NOON + timedelta(hours=1))

    assert again.pk == job.pk
    assert ExtractJob.objects.get().status == ExtractJob.Status.DONE


def test_a_session_that_was_resumed_and_ended_again_makes_another_job():
    enqueue(ENDED, now=NOON)

    enqueue(EndedSession(note_id="n2", session_id="s1", transcript_path="/t/s1.jsonl"), now=NOON)

    assert ExtractJob.objects.count() == 2


def test_jobs_wait_in_the_order_in_which_their_sessions_ended():
    enqueue(EndedSession(note_id="late", session_id="b", transcript_path="/t/b"), now=NOON)
    enqueue(EndedSession(note_id="early", session_id="a", transcript_path="/t/a"), now=NOON - timedelta(days=1))

    waiting = [job.note_id for job in ExtractJob.objects.waiting()]

    assert waiting == ["early", "late"]
