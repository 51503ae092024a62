import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from extraction import worker
from extraction.llm_errors import LlmReplyUnreadable, LlmUnreachable
from extraction.models import ExtractJob, ExtractRun
from extraction.worker import ExtractRunning, extract_lock, is_extracting, work_off
from rules.models import Rule
from tests.extraction.making import make_job, make_run, tools
from tests.extraction.transcripts import typed, write_transcript
from tests.fakes import FakeLlm, worded_rule

ROOT = Path(__file__).resolve().parents[2]
FOUND = {"rules": [worded_rule()]}


@pytest.fixture
def work(data_folder):
    def run(llm, *, level="warn"):
        return work_off(
            ExtractJob.objects.all(),
            folder=data_folder,
            tools=tools(llm),
            log_level=level,
            run=make_run(is_automatic=True),
        )

    return run


def queue(tmp_path, *names):
    for name in names:
        make_job(
            write_transcript(tmp_path / f"{name}.jsonl", typed("Never force-push to main")),
            note_id=name,
            session_id=name,
        )


def statuses():
    return dict(ExtractJob.objects.values_list("session_id", "status"))


@pytest.mark.django_db
class TestQueue:
    def test_every_waiting_job_is_worked_on(self, work, tmp_path):
        queue(tmp_path, "a", "b")

        report = work(FakeLlm({"rules": []}))

        assert (report.jobs, report.failures, statuses()) == (2, [], {"a": "done", "b": "done"})

    def test_one_bad_job_does_not_stop_the_others(self, work, tmp_path):
        make_job("/nowhere/gone.jsonl", note_id="gone", session_id="gone")
        queue(tmp_path, "a")

        report = work(FakeLlm(FOUND))

        assert statuses() == {"gone": "failed", "a": "done"}
        assert report.failures == [("/nowhere/gone.jsonl", "There is no transcript at /nowhere/gone.jsonl.")]
        assert report.applied == 1

    def test_a_failed_model_keeps_the_job_pending_and_the_third_time_ends_it(self, work, tmp_path):
        queue(tmp_path, "a")
        seen = []

        for _ in range(3):
            work(FakeLlm(LlmReplyUnreadable("no JSON")))
            seen.append(statuses()["a"])

        assert seen == ["pending", "pending", "dead"]
        assert ExtractJob.objects.get().last_error == "no JSON"

    def test_an_unforeseen_fault_is_counted_against_its_job_alone(self, work, tmp_path):
        queue(tmp_path, "a", "b")

        report = work(FakeLlm(lambda _: 1 / 0, {"rules": []}))

        assert statuses() == {"a": "pending", "b": "done"}
        assert report.failures[0][1].startswith("ZeroDivisionError")

    def test_an_endpoint_that_is_down_costs_three_attempts_and_not_one_of_each_job(self, work, tmp_path):
        queue(tmp_path, *"abcde")

        report = work(FakeLlm(LlmUnreachable("down")))

        assert (report.jobs, report.is_cut_short) == (3, True)
        assert ExtractJob.objects.filter(attempts=0).count() == 2

    def test_the_run_is_kept_with_what_came_of_it(self, work, tmp_path):
        queue(tmp_path, "a")

        work(FakeLlm(FOUND))

        run = ExtractRun.objects.get()
        assert (run.is_automatic, run.summary["applied"], run.finished_at is None) == (True, 1, False)

    def test_what_is_extracted_is_published_for_the_hooks(self, work, tmp_path, data_folder):
        queue(tmp_path, "a")

        work(FakeLlm({"rules": []}))

        published = json.loads(Path(data_folder.published, "transcripts.json").read_text())
        assert published == {"format": 1, "offsets": {str(tmp_path / "a.jsonl"): (tmp_path / "a.jsonl").stat().st_size}}

    def test_the_log_says_what_happened_and_nothing_that_was_said(self, work, tmp_path, data_folder):
        queue(tmp_path, "a")

        work(FakeLlm(FOUND), level="info")

        log = Path(data_folder.logs, "pipeline.log").read_text()
        assert "INFO extraction.pipeline [a] read bytes 0 to" in log
        assert "force-push" not in log

    def test_by_default_the_log_holds_only_what_went_wrong(self, work, tmp_path, data_folder):
        queue(tmp_path, "a")

        work(FakeLlm(FOUND))

        assert not Path(data_folder.logs, "pipeline.log").exists()


class TestLock:
    def test_only_one_extraction_works(self, data_folder):
        with (
            extract_lock(data_folder),
            pytest.raises(ExtractRunning, match="already running"),
            extract_lock(data_folder),
        ):
            pass

    def test_it_can_be_asked_for_without_taking_it(self, data_folder):
        assert not is_extracting(data_folder)
        with extract_lock(data_folder):
            assert is_extracting(data_folder)
        assert not is_extracting(data_folder)

    def test_nb049_a_lock_whose_owner_was_killed_is_free(self, data_folder):
        holder = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
                "import django, os, time; os.environ['DJANGO_SETTINGS_MODULE'] = 'nokori_site.settings'; django.setup()\n"
                "from extraction.worker import extract_lock; from rules.disk import DataFolder\n"
                f"with extract_lock(DataFolder({data_folder.root!r})): print('held', flush=True); time.sleep(60)",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        with holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            assert is_extracting(data_folder)
            os.kill(holder.pid, signal.SIGKILL)
            holder.wait()

        assert Path(data_folder.root, worker.LOCK).exists()
        assert not is_extracting(data_folder)


@pytest.mark.django_db
def test_nb059_a_hundred_jobs_never_have_two_children(work, tmp_path):
    queue(tmp_path, *[f"s{n}" for n in range(100)])
    at_work = []

    class CountingLlm(FakeLlm):
        def answer(self, question):
            at_work.append(1)
            assert len(at_work) == 1
            at_work.pop()
            return super().answer(question)

    report = work(CountingLlm({"rules": []}))

    assert (report.jobs, at_work, Rule.objects.count()) == (100, [], 0)
