import pytest
from django.urls import reverse

from extraction.models import ExtractJob
from tests.extraction.making import make_job

pytestmark = pytest.mark.django_db
LIST = "admin:extraction_extractjob_changelist"


def test_a_job_that_was_given_up_goes_back_into_the_queue(pages):
    dead, done = make_job("/t/a.jsonl"), make_job("/t/b.jsonl")
    ExtractJob.objects.filter(pk=dead.pk).update(status="dead", attempts=3, last_error="no answer")
    ExtractJob.objects.filter(pk=done.pk).update(status="done")

    response = pages.post(reverse(LIST), {"action": "try_again", "_selected_action": [dead.pk, done.pk]}, follow=True)

    assert dict(ExtractJob.objects.values_list("pk", "status")) == {dead.pk: "pending", done.pk: "done"}
    assert "1 back in the queue." in response.content.decode()


def test_a_job_is_only_looked_at(pages):
    job = make_job()

    assert pages.get(reverse(LIST), {"q": "nowhere"}).status_code == 200
    assert pages.get(reverse("admin:extraction_extractjob_change", args=[job.pk])).status_code == 200
    assert pages.get(reverse("admin:extraction_extractjob_add")).status_code == 403
