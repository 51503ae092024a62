from datetime import timedelta

import pytest

from extraction.jobs import (
    EndedSession,
    JobNotGivenUp,
    claim_next,
    enqueue,
    enqueue_by_hand,
    finish,
    keep_pending,
    park,
    recover_lost,
    release_failed,
    retry,
    retry_one,
)
from extraction.models import ExtractJob
from tests.extraction.making import PROJECT, make_job, make_run
from tests.factories import NOW

pytestmark = pytest.mark.django_db
EVERY = ExtractJob.objects


def claim(run=None, now=NOW):
    return claim_next(EVERY.all(), run=run or make_run(), now=now)


def status_of(job):
    return EVERY.get(pk=job.pk).status


def test_an_ended_session_becomes_a_pending_job():
    job = enqueue(EndedSession(note_id="n1", session_id="s1", transcript_path="/t.jsonl", project_id="p"), now=NOW)

    assert (job.status, job.attempts, job.project_id) == ("pending", 0, "p")


def test_the_same_note_makes_one_job():
    assert make_job("/t.jsonl").pk == make_job("/t.jsonl").pk


def test_several_ends_of_one_session_make_a_job_each():
    make_job("/t.jsonl", note_id="n1")
    make_job("/t.jsonl", note_id="n2")

    assert EVERY.waiting().count() == 2


def test_the_oldest_job_is_claimed_first_and_only_once():
    first, second = make_job("/a.jsonl"), make_job("/b.jsonl")
    run = make_run()

    claimed = [claim(run), claim(run), claim(run)]

    assert claimed == [first, second, None]
    assert (claimed[0].status, claimed[0].attempts, claimed[0].run) == ("running", 1, run)


def test_a_job_that_failed_waits_for_the_next_run():
    make_job()
    run = make_run()
    release_failed(claim(run), "slow", now=NOW)

    assert claim(run) is None
    assert claim() is not None


def test_the_third_failure_is_the_last():
    job = make_job()

    for _ in range(3):
        release_failed(claim(), "The model took longer than it may.", now=NOW)

    job.refresh_from_db()
    assert (job.status, job.attempts, job.last_error) == ("dead", 3, "The model took longer than it may.")
    assert claim() is None


@pytest.fixture
def written(tmp_path):
    """written("a") is the path of a transcript that is there."""

    def write(name):
        path = tmp_path / f"{name}.jsonl"
        path.touch()
        return str(path)

    return write


def test_a_job_whose_transcript_is_gone_is_not_tried_again():
    job = make_job("/gone.jsonl")
    park(job, "There is no transcript.", now=NOW)

    assert retry(EVERY.all(), now=NOW) == 0
    with pytest.raises(JobNotGivenUp, match=r"There is no transcript at /gone\.jsonl"):
        retry_one(job.pk, now=NOW)

    job.refresh_from_db()
    assert (job.status, job.last_error) == ("failed", "There is no transcript.")


def test_what_was_given_up_can_be_tried_again(written):
    dead, failed = make_job(written("a")), make_job(written("b"))
    EVERY.filter(pk=dead.pk).update(status="dead", attempts=3)
    park(failed, "There is no transcript.", now=NOW)

    assert retry(EVERY.all(), now=NOW) == 2

    assert set(EVERY.values_list("status", "attempts")) == {("pending", 0)}


def test_a_job_that_a_killed_run_left_goes_back_and_keeps_its_attempt():
    job = make_job()
    claim()

    assert recover_lost(now=NOW) == 1

    job.refresh_from_db()
    assert (job.status, job.attempts) == ("pending", 1)


def test_a_job_that_kills_every_run_is_given_up():
    job = make_job()
    for _ in range(3):
        claim()
        recover_lost(now=NOW)

    assert status_of(job) == "dead"


def test_a_grown_transcript_keeps_its_job_pending_without_counting_as_a_failure():
    job = make_job()
    keep_pending(claim(), now=NOW)

    job.refresh_from_db()
    assert (job.status, job.attempts) == ("pending", 0)


def test_a_finished_job_keeps_no_checkpoint():
    make_job()
    job = claim()
    job.checkpoint = {"candidates": [], "done": []}

    finish(job, now=NOW)

    assert (job.status, job.checkpoint) == ("done", {})


@pytest.mark.parametrize(("attempts", "rest"), [(1, timedelta(minutes=30)), (2, timedelta(hours=6))])
def test_in_the_background_a_job_that_failed_rests_for_a_while(attempts, rest):
    job = make_job()
    EVERY.filter(pk=job.pk).update(attempts=attempts, updated_at=NOW)

    assert not EVERY.rested(now=NOW + rest - timedelta(seconds=1)).exists()
    assert EVERY.rested(now=NOW + rest).exists()


def test_in_the_background_a_later_job_of_the_same_transcript_rests_too():
    failed, _, other = make_job(note_id="1"), make_job(note_id="2"), make_job("/nowhere/other.jsonl")
    EVERY.filter(pk=failed.pk).update(attempts=1, updated_at=NOW)

    assert list(EVERY.rested(now=NOW)) == [other]


def test_a_transcript_named_by_hand_takes_over_the_job_that_waits():
    job = make_job("/t.jsonl")

    assert enqueue_by_hand("/t.jsonl", project_id="", now=NOW) == job
    assert enqueue_by_hand("/t.jsonl", project_id="other", now=NOW).project_id == "other"


def test_a_transcript_named_by_hand_again_belongs_to_the_same_project():
    finish(make_job("/t.jsonl"), now=NOW)

    assert enqueue_by_hand("/t.jsonl", project_id="", now=NOW).project_id == PROJECT


def test_ten_thousand_jobs_are_listed_and_claimed_without_a_query_each(django_assert_num_queries):
    EVERY.bulk_create(
        ExtractJob(note_id=f"n{n}", transcript_path=f"/{n}.jsonl", session_id="s", created_at=NOW, updated_at=NOW)
        for n in range(10_000)
    )
    run = make_run()

    with django_assert_num_queries(1):
        assert len(EVERY.waiting()) == 10_000
    with django_assert_num_queries(3):
        assert claim(run) is not None


def test_a_transcript_that_failed_in_a_run_is_left_alone_by_the_rest_of_it():
    make_job("/t.jsonl", note_id="n1")
    later = make_job("/t.jsonl", note_id="n2")
    other = make_job("/u.jsonl", note_id="n3")
    run = make_run()
    release_failed(claim(run), "the model is away", now=NOW)

    claimed = claim(run)

    assert claimed is not None
    assert (claimed.pk, claim(run), status_of(later)) == (other.pk, None, "pending")
