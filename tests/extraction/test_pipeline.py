import json
from dataclasses import replace

import pytest

from extraction.compress import Sizes
from extraction.llm_errors import LlmReplyUnreadable, LlmTimeout
from extraction.models import ExtractJob, TranscriptState
from extraction.pipeline import read_transcript, run_job
from extraction.transcript_file import TranscriptMissing, TranscriptNotAllowed
from rules.models import Rule
from rules.projects import project_id
from tests.extraction.making import PROJECT, claimed, judged, make_job, tools
from tests.extraction.transcripts import as_bytes, said, tool_result, tool_use, typed, write_transcript
from tests.factories import make_rule
from tests.fakes import FakeLlm, worded_rule

pytestmark = pytest.mark.django_db
CORRECTION = typed("No! Never force-push to main; use --force-with-lease.")
SECRET = "ghp_" + "a1B2" * 9
FOUND = {"rules": [worded_rule()]}
NOTHING: dict[str, list[object]] = {"rules": []}


@pytest.fixture
def transcript(tmp_path):
    return tmp_path / "projects" / "s.jsonl"


def run(path, llm, **changes):
    """The job of this transcript, worked on once."""
    make_job(path, **changes)
    return run_job(claimed(), tools(llm))


def job():
    return ExtractJob.objects.latest("pk")


def test_a_correction_becomes_a_rule(transcript):
    write_transcript(transcript, typed("Push it"), said("I force it."), CORRECTION)

    run(transcript, FakeLlm(FOUND))

    rule = Rule.objects.get()
    assert (rule.trigger, rule.status, rule.project_id) == ("Pushing commits to a shared branch", "active", PROJECT)
    assert job().status == "done"


def test_what_was_read_is_counted_and_the_place_remembered(transcript):
    path = write_transcript(transcript, CORRECTION, said("ok"))
    transcript.write_bytes(transcript.read_bytes() + b"{broken\n")

    run(transcript, FakeLlm(FOUND))

    assert job().counts == {
        "lines": 3, "bad_lines": 1, "cut_turns": 0, "human_turns": 1, "secrets": 0, "elided": 0, "candidates": 1, "dropped": {},
        "applied": {"inserted": 1},
    }  # fmt: skip
    assert (job().start_offset, job().end_offset) == (0, transcript.stat().st_size)
    assert TranscriptState.objects.get(transcript_path=path).offset == transcript.stat().st_size


def test_a_second_end_of_the_session_reads_only_what_is_new(transcript):
    write_transcript(transcript, CORRECTION)
    run(transcript, FakeLlm(FOUND), note_id="n1")
    with transcript.open("ab") as file:
        file.write(as_bytes(typed("Thanks, now the docs")))
    llm = FakeLlm(NOTHING)

    run(transcript, llm, note_id="n2")

    [question] = llm.questions
    assert "[Earlier user message] No! Never force-push" in question.body
    assert "[User] Thanks, now the docs" in question.body
    assert "[User] No!" not in question.body


def test_nothing_new_asks_nobody(transcript):
    write_transcript(transcript, CORRECTION)
    run(transcript, FakeLlm(NOTHING), note_id="n1")
    llm = FakeLlm()

    run(transcript, llm, note_id="n2")

    assert (llm.questions, job().status) == ([], "done")


def test_nb102_a_transcript_that_grows_meanwhile_keeps_its_job_pending(transcript):
    write_transcript(transcript, CORRECTION)

    def write_on(_):
        with transcript.open("ab") as file:
            file.write(as_bytes(typed("And never use npm here")))
        return FOUND

    run(transcript, FakeLlm(write_on))

    assert (job().status, job().attempts) == ("pending", 0)
    assert job().transcript_mtime == transcript.stat().st_mtime
    llm = FakeLlm(NOTHING)
    run_job(claimed(), tools(llm))
    assert "[User] And never use npm here" in llm.sent
    assert job().status == "done"


def test_a_secret_that_was_typed_is_in_no_request_no_row_and_no_log(transcript, caplog, data_folder):
    caplog.set_level("DEBUG")
    write_transcript(
        transcript,
        typed(f"Never force-push to main with {SECRET}"),
        said(f"I use {SECRET}"),
        tool_use("Bash", command=f"export TOKEN={SECRET}"),
        tool_result(f"denied: {SECRET}", is_error=True),
    )
    llm = FakeLlm(
        {"rules": [worded_rule(action=f"Log in with {SECRET}", quote="Never force-push to main with [redacted]")]}
    )

    run(transcript, llm)

    rows = json.dumps([list(model.objects.values()) for model in (Rule, ExtractJob, TranscriptState)], default=str)
    assert "a1B2" not in llm.sent + rows + caplog.text
    assert Rule.objects.get().action == "Log in with [redacted]"
    assert job().counts["secrets"] == 4


def test_an_extraction_that_fails_inserts_nothing(transcript):
    write_transcript(transcript, CORRECTION)

    with pytest.raises(LlmReplyUnreadable):
        run(transcript, FakeLlm("I found nothing of note."))

    assert (Rule.objects.count(), TranscriptState.objects.count(), job().checkpoint) == (0, 0, {})


class TestCheckpoint:
    @pytest.fixture(autouse=True)
    def _pool(self, transcript):
        """A rule to compare with, so that each merge asks the model; and a transcript with three candidates."""
        self.rule = make_rule(trigger="Naming branches", action="Use the ticket")
        write_transcript(transcript, CORRECTION)
        self.found = {
            "rules": [worded_rule(trigger=f"Pushing commits, case {name}") for name in ("one", "two", "three")]
        }

    def unrelated(self, question):
        return {"relationships": []}

    def test_a_merge_that_fails_skips_its_candidate_and_goes_on_with_the_others(self, transcript):
        with pytest.raises(LlmTimeout):
            run(transcript, FakeLlm(self.found, self.unrelated, LlmTimeout("slow"), self.unrelated))

        assert Rule.objects.exclude(pk=self.rule.pk).count() == 2
        assert job().checkpoint["done"] == [0, 2]
        assert TranscriptState.objects.count() == 0

    def test_the_next_run_goes_on_there_without_asking_for_candidates_again(self, transcript):
        with pytest.raises(LlmTimeout):
            run(transcript, FakeLlm(self.found, self.unrelated, LlmTimeout("slow"), self.unrelated))
        ExtractJob.objects.update(status="pending")
        llm = FakeLlm(self.unrelated)

        run_job(claimed(), tools(llm))

        assert [question.name for question in llm.questions] == ["rule_relationships"]
        assert sorted(Rule.objects.exclude(pk=self.rule.pk).values_list("trigger", flat=True)) == [
            "Pushing commits, case one", "Pushing commits, case three", "Pushing commits, case two",
        ]  # fmt: skip
        assert job().status == "done"

    def test_a_crash_between_two_merges_repeats_and_loses_nothing(self, transcript):
        with pytest.raises(KeyboardInterrupt):
            run(transcript, FakeLlm(self.found, self.unrelated, lambda _: raise_(KeyboardInterrupt())))
        assert Rule.objects.exclude(pk=self.rule.pk).count() == 1
        ExtractJob.objects.update(status="pending")

        run_job(claimed(), tools(FakeLlm(self.unrelated)))

        assert Rule.objects.exclude(pk=self.rule.pk).count() == 3

    def test_a_rule_and_its_mark_in_the_checkpoint_stand_or_fall_together(self, transcript, monkeypatch):
        monkeypatch.setattr("extraction.merge.add_rule", lambda *_, **__: raise_(ZeroDivisionError()))

        with pytest.raises(ZeroDivisionError):
            run(transcript, FakeLlm(self.found, self.unrelated))

        assert ExtractJob.objects.get().checkpoint["done"] == []

    def test_a_checkpoint_that_a_later_job_read_past_is_not_gone_back_to(self, transcript):
        with pytest.raises(LlmTimeout):
            run(transcript, FakeLlm(self.found, self.unrelated, LlmTimeout("slow"), self.unrelated), note_id="n1")
        with transcript.open("ab") as file:
            file.write(as_bytes(typed("Thanks, now the docs")))
        run(transcript, FakeLlm(NOTHING), note_id="n2")
        ExtractJob.objects.filter(note_id="n1").update(status="pending")
        llm = FakeLlm()

        run_job(claimed(), tools(llm))

        assert llm.questions == []
        assert TranscriptState.objects.get().offset == transcript.stat().st_size

    def test_the_same_correction_again_speaks_for_the_rule_it_made(self, transcript):
        def same(question):
            [new] = [rule.short_id for rule in Rule.objects.exclude(pk=self.rule.pk)]
            return judged(**{new: "A"})

        run(transcript, FakeLlm({"rules": [worded_rule()]}, self.unrelated), note_id="n1")
        with transcript.open("ab") as file:
            file.write(as_bytes(CORRECTION))
        run(transcript, FakeLlm({"rules": [worded_rule()]}, same), note_id="n2")

        assert Rule.objects.exclude(pk=self.rule.pk).get().evidence_score == 4


def raise_(error):
    raise error


class TestWhoseRule:
    def test_without_a_project_in_the_job_it_is_the_folder_of_the_session(self, transcript, tmp_path):
        write_transcript(transcript, typed("Never force-push to main", cwd=str(tmp_path / "app")))

        run(transcript, FakeLlm(FOUND), project_id="")

        assert Rule.objects.get().project_id == project_id(str(tmp_path / "app"))

    def test_a_transcript_that_tells_no_folder_still_makes_no_global_rule(self, transcript):
        write_transcript(transcript, CORRECTION)

        run(transcript, FakeLlm(FOUND), project_id="")

        assert Rule.objects.get().project_scope == "project"

    def test_a_dismissed_rule_is_not_learned_again(self, transcript):
        make_rule(
            status="archived", archived_reason="dismissed by hand", quote="Never force-push to main", project_id=PROJECT
        )
        write_transcript(transcript, CORRECTION)

        run(transcript, FakeLlm(FOUND))

        assert (Rule.objects.count(), job().counts["dropped"]) == (1, {"dismissed before": 1})


@pytest.mark.parametrize(
    ("name", "error"), [("gone.jsonl", TranscriptMissing), ("../outside.jsonl", TranscriptNotAllowed)]
)
def test_a_transcript_that_cannot_be_read_is_an_error(tmp_path, name, error):
    path = str(tmp_path / "projects" / name)
    make_job(path)
    llm = FakeLlm()

    with pytest.raises(error):
        run_job(
            claimed(),
            tools(llm, roots=[str(tmp_path / "projects")]),
        )


def test_the_sizes_are_obeyed(transcript):
    path = write_transcript(transcript, *[typed(f"wish {n} " * 50) for n in range(50)])

    reading = read_transcript(path, start=0, sizes=replace(Sizes(), max_tokens=500))

    assert reading.excerpt.is_elided
    assert reading.counts["elided"] == 1
