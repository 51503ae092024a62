"""Extraction in the API: jobs and their retry, how far transcripts are read, how far a run is."""

import pytest

from extraction.models import ExtractJob, TranscriptState
from tests.extraction.making import claimed, make_job, make_run
from tests.factories import NOW


def give_up(job, *, status="dead", error="The endpoint answered with status 500."):
    ExtractJob.objects.filter(pk=job.pk).update(status=status, attempts=3, last_error=error)
    return job


def test_jobs_are_listed_by_state(api):
    give_up(make_job("/t/dead.jsonl"))
    make_job("/t/waits.jsonl")

    _, page = api.get("jobs", status="dead")

    assert [(job["transcript_path"], job["attempts"]) for job in page["items"]] == [("/t/dead.jsonl", 3)]
    assert page["items"][0]["last_error"] == "The endpoint answered with status 500."


def test_a_job_that_was_given_up_is_tried_again(api):
    job = give_up(make_job())

    status, retried = api.post(f"jobs/{job.pk}/retry")

    assert status == 200
    assert (retried["status"], retried["attempts"], retried["last_error"]) == ("pending", 0, "")


def test_all_that_were_given_up_are_tried_again(api):
    for number in range(3):
        give_up(make_job(f"/t/{number}.jsonl"))

    _, answer = api.post("jobs/retry")

    assert answer == {"retried": 3}


@pytest.mark.parametrize(("path", "status"), [("jobs/1/retry", 409), ("jobs/99", 404), ("jobs/99/retry", 404)])
def test_a_job_that_cannot_be_tried_again_says_why(api, path, status):
    job = make_job()
    method = "post" if path.endswith("retry") else "get"

    code, problem = api.call(method, path.replace("1", str(job.pk)))

    assert code == status
    assert "job" in problem["detail"].lower()


def test_a_transcript_is_told_with_the_bytes_that_are_read_and_those_that_are_there(api, tmp_path):
    transcript = tmp_path / "s.jsonl"
    transcript.write_bytes(b"x" * 400)
    TranscriptState.objects.create(transcript_path=str(transcript), offset=100, extracted_at=NOW)
    TranscriptState.objects.create(transcript_path="/gone.jsonl", offset=7, extracted_at=NOW)

    _, page = api.get("transcripts")

    assert [(row["offset"], row["size"]) for row in page["items"]] == [(7, None), (100, 400)]


def test_progress_tells_what_a_run_is_at(api):
    make_job("/t/first.jsonl")
    make_job("/t/second.jsonl")
    job = claimed()

    _, progress = api.get("extract-progress")

    assert (progress["is_running"], progress["working_on"]) == (True, job.transcript_path)
    assert (progress["done"], progress["total"]) == (0, 2)


def test_nothing_runs_when_no_job_does(api):
    make_run()

    _, progress = api.get("extract-progress")

    assert (progress["is_running"], progress["working_on"], progress["total"]) == (False, "", 0)
