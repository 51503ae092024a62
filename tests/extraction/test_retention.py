from datetime import timedelta

import pytest

from extraction.models import ExtractJob, ExtractRun, TranscriptState
from extraction.retention import extraction_scans
from rules.maintenance import run_scans
from tests.extraction.making import make_job, make_run
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def scan(now):
    [report] = run_scans(extraction_scans(), now=now, only_due=True)
    return report.counts


def test_rows_go_after_sixty_days():
    make_job()
    make_run()

    assert scan(NOW + timedelta(days=60)) == {"jobs": 0, "runs": 0}
    assert scan(NOW + timedelta(days=61, seconds=1)) == {"jobs": 1, "runs": 1}
    assert not ExtractJob.objects.exists()


def test_how_far_a_transcript_was_read_is_kept():
    TranscriptState.objects.create(transcript_path="/t.jsonl", offset=7, extracted_at=NOW)

    scan(NOW + timedelta(days=400))

    assert TranscriptState.objects.get().offset == 7


def test_a_run_that_goes_takes_no_job_with_it():
    job = make_job()
    ExtractJob.objects.filter(pk=job.pk).update(run=make_run(), updated_at=NOW + timedelta(days=50))

    scan(NOW + timedelta(days=61))

    assert (ExtractJob.objects.get().run, ExtractRun.objects.count()) == (None, 0)
