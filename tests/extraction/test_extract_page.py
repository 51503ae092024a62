"""Extract shows what waits, what was learned and what failed; a failed job can be tried again from it."""

import pytest

from extraction.models import ExtractJob, TranscriptState
from tests.extraction.making import claimed, make_job, make_run
from tests.extraction.test_api import give_up
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def shown(pages, **wish):
    return pages.get("/extract/", wish).content.decode()


def test_a_failed_job_shows_its_error_in_full_and_a_way_to_try_again(pages):
    job = give_up(make_job("/t/broken.jsonl"), error="The endpoint answered with status 500. " * 10)

    page = shown(pages)

    assert ("The endpoint answered with status 500. " * 10).strip() in page
    assert f"/extract/{job.pk}/retry/" in page


def test_trying_again_puts_the_job_back(pages):
    job = give_up(make_job())

    page = pages.post(f"/extract/{job.pk}/retry/", follow=True).content.decode()

    job.refresh_from_db()
    assert (job.status, job.attempts) == ("pending", 0)
    assert f"Job {job.pk} waits again." in page


def test_a_job_that_was_not_given_up_says_so(pages):
    job = make_job()

    page = pages.post(f"/extract/{job.pk}/retry/", follow=True).content.decode()

    assert "only a job that was given up" in page


def test_all_that_were_given_up_go_back_at_once(pages):
    for number in range(3):
        give_up(make_job(f"/t/{number}.jsonl"))

    page = pages.post("/extract/retry/", follow=True).content.decode()

    assert ExtractJob.objects.waiting().count() == 3
    assert "3 jobs wait again." in page


def test_a_change_needs_a_post(pages):
    assert [pages.get(f"/extract/{path}").status_code for path in ("retry/", "1/retry/", "run/")] == [405] * 3


def test_jobs_are_shown_by_state(pages):
    give_up(make_job("/t/dead-one.jsonl"))
    make_job("/t/waiting-one.jsonl")

    assert ["dead-one" in shown(pages, status=state) for state in ("dead", "pending", "no state")] == [
        True,
        False,
        True,
    ]


def test_a_run_at_work_shows_how_far_it_is(pages):
    make_job("/t/first.jsonl")
    make_job("/t/second.jsonl")
    claimed()

    page = shown(pages)

    assert 'data-running="true"' in page
    assert "0 of 2 jobs" in page


def test_a_run_tells_what_came_of_it(pages):
    make_run(finished_at=NOW, summary={"jobs": 2, "candidates": 3, "applied": 1, "failures": [["/t", "no"]]})

    page = shown(pages)

    assert "2 jobs, 1 became rules" in page
    assert "1 failed" in page


def test_a_transcript_shows_the_bytes_that_are_read(pages, tmp_path):
    transcript = tmp_path / "talk.jsonl"
    transcript.write_bytes(b"x" * 2048)
    TranscriptState.objects.create(transcript_path=str(transcript), offset=1024, extracted_at=NOW)

    page = shown(pages)

    assert "1 KB of 2 KB" in page
    assert 'width="50%"' in page


def test_a_secret_in_an_error_is_not_shown(pages):
    key = "sk-ant-" + "a1B2c3D4e5F6g7H8" * 6
    give_up(make_job(), error=f"refused the key {key}")

    assert key not in shown(pages)


def test_without_jobs_the_page_says_how_to_make_one(pages):
    assert "manage.py extract --session PATH" in shown(pages)


def test_running_now_says_what_became_of_it(pages):
    page = pages.post("/extract/run/", follow=True).content.decode()

    assert "Starting processes is switched off here." in page  # tests start none
