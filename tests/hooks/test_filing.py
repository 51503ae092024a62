"""Notes become rows, each exactly once; what cannot be filed keeps nothing else waiting."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import OperationalError
from filelock import FileLock

from extraction.models import ExtractJob
from hooks.filing import FilingReport, file_notes
from hooks.models import AgentSession, FiledNote, GateDecision, HookCall, HookFailure
from rules.models import Injection, Rule, ShadowHit
from rules.projects import project_id
from tests.factories import make_rule
from tests.hooks.spooled import NOON, match, note, spool

pytestmark = pytest.mark.django_db


@pytest.fixture
def file_all(data_folder):
    return lambda **options: file_notes(data_folder, now=NOON, **options)


@pytest.fixture
def leave(data_folder):
    """Leaves one note after the other in the spool."""

    def leave(kind, /, **changes):
        return spool(data_folder, note(kind, **changes))

    return leave


def names_in(folder):
    return sorted(path.name for path in Path(folder).iterdir()) if Path(folder).exists() else []


def test_nothing_in_the_spool_is_nothing_to_do(file_all, data_folder, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert file_all() == FilingReport()

    assert not Path(data_folder.root).exists()


def test_what_was_shown_becomes_injections_and_hits(leave, file_all):
    hot, warm = make_rule(), make_rule(trigger="Another")
    leave("prompt", shown=[match(hot), match(warm, "warm", full=False)], prompt_key="p7")

    assert file_all() == FilingReport(filed=1)

    rows = Injection.objects.order_by("level").values_list("rule", "level", "is_full", "session_id", "prompt_key")
    assert list(rows) == [(hot.pk, "hot", True, "s1", "p7"), (warm.pk, "warm", False, "s1", "p7")]
    hot.refresh_from_db()
    assert (hot.hit_count, hot.last_hit) == (1, NOON)


def test_a_dormant_rule_that_was_as_close_as_hot_is_active_again(leave, file_all):
    rule = make_rule(status="dormant")
    leave("prompt", shown=[match(rule, "warm")], reactivated=[match(rule, "warm")])

    file_all()

    rule.refresh_from_db()
    assert rule.status == "active"
    assert rule.history.get().by == "prompt"


def test_isolated_worktrees_of_one_repository_are_one_witness_for_promotion(leave, file_all, settings, tmp_path):
    settings.NOKORI = replace(settings.NOKORI, isolate_worktrees=True)
    rule = make_rule(project_scope="project", project_id="home-11111111")
    git_dir = tmp_path / "app" / ".git"
    for name in ("one", "two", "three"):
        (git_dir / "worktrees" / name).mkdir(parents=True)
        (git_dir / "worktrees" / name / "commondir").write_text("../..\n")
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(f"gitdir: {git_dir / 'worktrees' / name}\n")
        leave("prompt", shadow=[match(rule)], project_id=f"{name}-22222222", cwd=str(tmp_path / name))

    file_all()

    rule.refresh_from_db()
    assert set(ShadowHit.objects.values_list("project_id", flat=True)) == {project_id(str(tmp_path / "one"))}
    assert rule.project_scope == "project"


def test_a_match_in_another_project_becomes_a_shadow_hit_once_a_day(leave, file_all):
    rule = make_rule(project_id="home-11111111")
    for _ in range(3):
        leave("prompt", shadow=[match(rule, "warm")], project_id="away-22222222")

    file_all()

    assert ShadowHit.objects.get().project_id == "away-22222222"
    rule.refresh_from_db()
    assert rule.shadow_hit_count == 1


def test_a_chat_dismiss_archives_the_rule(leave, file_all):
    rule = make_rule()
    leave("prompt", dismissed=[match(rule)])

    file_all()

    rule.refresh_from_db()
    assert rule.status == "archived"
    assert rule.history.get().by == "chat"


def test_a_rule_that_is_gone_is_passed_over(leave, file_all):
    rule = make_rule()
    gone = match(rule)
    rule.delete()
    leave("prompt", shown=[gone], shadow=[gone], reactivated=[gone], dismissed=[gone])
    leave("gate", rule_id=gone["rule_id"])

    assert file_all() == FilingReport(filed=2)

    assert not Injection.objects.exists()
    assert GateDecision.objects.get().rule is None


def test_a_gate_decision_names_its_rule_and_tool(leave, file_all):
    rule = make_rule()
    leave("gate", rule_id=str(rule.pk), short_id=rule.short_id, answer="passed", same_tool=True)

    file_all()

    row = GateDecision.objects.get()
    assert (row.rule, row.answer, row.tool_name, row.same_tool, row.at) == (rule, "passed", "Bash", True, NOON)


def test_a_failure_of_a_hook_becomes_a_row(leave, file_all):
    leave("failure", error="DeadlineMissed", deadline=True, message="late")

    file_all()

    row = HookFailure.objects.get()
    assert (row.event, row.error, row.message, row.is_deadline) == (
        "user-prompt-submit",
        "DeadlineMissed",
        "late",
        True,
    )


class TestSessions:
    def test_a_start_opens_a_session(self, leave, file_all):
        leave("session_start", source="startup")

        file_all()

        row = AgentSession.objects.open().get()
        assert (row.session_id, row.host, row.project_id, row.cwd) == ("s1", "claude", "app-12345678", "/w")
        assert (row.source, row.transcript_path, row.started_at) == ("startup", "/t/s1.jsonl", NOON)

    def test_a_prompt_moves_its_last_activity_and_nothing_else(self, leave, file_all):
        leave("session_start")
        later = NOON + timedelta(minutes=5)
        leave("prompt", at=later.timestamp())

        file_all()

        row = AgentSession.objects.get()
        assert (row.started_at, row.last_activity) == (NOON, later)

    def test_a_late_note_does_not_move_it_back(self, leave, file_all):
        leave("prompt")
        file_all()
        leave("prompt", at=(NOON - timedelta(hours=1)).timestamp())

        file_all()

        assert AgentSession.objects.get().last_activity == NOON

    def test_an_end_closes_it_and_queues_its_transcript_with_the_project_that_the_session_had(self, leave, file_all):
        leave("prompt")
        leave("session_end", project_id="", session_id="")

        file_all()

        row = AgentSession.objects.get()
        assert (row.ended_at, row.end_reason) == (NOON, "other")
        job = ExtractJob.objects.waiting().get()
        assert (job.transcript_path, job.session_id, job.project_id) == ("/t/s1.jsonl", "s1", "app-12345678")

    def test_a_resumed_session_is_open_again(self, leave, file_all):
        leave("session_end")
        leave("session_start", source="resume", at=(NOON + timedelta(hours=1)).timestamp())

        file_all()

        row = AgentSession.objects.open().get()
        assert (row.source, row.end_reason) == ("resume", "")

    def test_an_end_without_a_transcript_queues_nothing(self, leave, file_all):
        leave("session_end", payload={"session_id": "s1", "transcript_path": None})

        assert file_all() == FilingReport(filed=1)

        assert AgentSession.objects.get().ended_at == NOON
        assert not ExtractJob.objects.exists()
        assert not HookFailure.objects.exists()

    def test_a_broken_payload_closes_the_session_and_is_told(self, leave, file_all):
        leave("session_end", session_id="", payload='{"session_id": "s1", "transcript_path": "/t/s1.js')

        assert file_all() == FilingReport(filed=1)

        assert AgentSession.objects.get().ended_at == NOON
        assert HookFailure.objects.get().message == "the host's payload is not a JSON object"

    def test_a_host_that_names_no_session_has_no_row_of_one(self, leave, file_all):
        leave("prompt", session_id="-")
        leave("session_end", session_id="", payload={"transcript_path": "/t/x.jsonl"})

        assert file_all() == FilingReport(filed=2)

        assert not AgentSession.objects.exists()
        assert ExtractJob.objects.get().transcript_path == "/t/x.jsonl"


class TestCounts:
    def test_timed_calls_are_added_up_by_day_event_and_host(self, leave, file_all):
        for ms in (10.0, 30.0):
            leave("prompt", ms=ms)
        leave("prompt", host="cursor", ms=5.0)
        leave("prompt", day="2026-12-01", ms=5.0)
        file_all()
        leave("prompt", ms=80.0)

        file_all()

        row = HookCall.objects.timed().get(host="claude", day="2026-11-30")
        assert (row.event, row.calls, row.total_ms, row.slowest_ms) == ("user-prompt-submit", 3, 120.0, 80.0)
        assert row.p95_ms == pytest.approx(64 + 64 * 0.85)
        assert HookCall.objects.count() == 3

    def test_a_failure_beside_the_calls_own_note_is_no_second_call(self, leave, file_all):
        leave("prompt")
        leave("failure", ms=2000.0)

        file_all()

        assert HookCall.objects.get().calls == 1


class TestOnce:
    def test_a_note_that_comes_again_changes_nothing(self, leave, file_all):
        rule = make_rule()
        path = leave("prompt", shown=[match(rule)])
        data = path.read_bytes()
        file_all()
        path.write_bytes(data)

        assert file_all() == FilingReport(skipped=1)

        assert not path.exists()
        rule.refresh_from_db()
        assert (rule.hit_count, HookCall.objects.get().calls) == (1, 1)

    def test_one_id_in_two_files_is_one_note(self, data_folder, file_all):
        content = note("session_end")
        spool(data_folder, content, name="a.json")
        spool(data_folder, content, name="b.json")

        assert file_all() == FilingReport(filed=1, skipped=1)

        assert ExtractJob.objects.count() == 1

    def test_a_file_that_the_disk_does_not_let_go_is_filed_once(self, leave, file_all, monkeypatch):
        leave("prompt")

        def refuse(path):
            raise PermissionError(path)

        monkeypatch.setattr("hooks.filing.remove_file", refuse)

        assert file_all() == FilingReport(filed=1, stuck=1)
        assert file_all() == FilingReport(skipped=1, stuck=1)

    def test_notes_are_filed_in_the_order_of_their_names(self, data_folder, file_all):
        spool(data_folder, note("session_end"), name="2.json")
        spool(data_folder, note("prompt", at=(NOON - timedelta(hours=1)).timestamp()), name="1.json")

        file_all()

        assert AgentSession.objects.get().ended_at == NOON

    def test_two_who_file_at_once_do_not_meet(self, data_folder, leave, file_all):
        path = leave("prompt")

        with FileLock(data_folder.filing_lock):
            assert file_all(wait_seconds=0.01) == FilingReport(is_busy=True)

        assert path.exists()


class TestRefusedByTheDatabase:
    @pytest.mark.parametrize("message", ["database is locked", "database or disk is full"])
    def test_every_note_stays_and_is_filed_later(self, data_folder, leave, file_all, monkeypatch, message):
        rule = make_rule()
        leave("prompt", shown=[match(rule)])
        spool(data_folder, b"{", name="bad.json")

        def refuse(*_, **__):
            raise OperationalError(message)

        with monkeypatch.context() as patch:
            patch.setattr("hooks.ledger.record_injections", refuse)
            with pytest.raises(OperationalError, match=message):
                file_all()

        assert len(names_in(data_folder.spool_new)) == 2
        assert not any(model.objects.exists() for model in (HookFailure, FiledNote))
        assert file_all() == FilingReport(filed=1, bad=1)

    def test_an_error_at_the_very_end_of_a_batch_undoes_all_of_it(self, leave, file_all, monkeypatch):
        rule = make_rule()
        path = leave("prompt", shown=[match(rule)])

        def refuse(*_, **__):
            raise OperationalError("database or disk is full")

        with monkeypatch.context() as patch:
            patch.setattr("hooks.ledger.FiledNote.objects.bulk_create", refuse)
            with pytest.raises(OperationalError):
                file_all()

        assert path.exists()
        assert not Injection.objects.exists()


class TestBad:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            pytest.param(b'{"v": 1', "not JSON", id="torn"),
            pytest.param(b"", "not JSON", id="empty"),
            pytest.param(b"[]", "not a JSON object", id="a list"),
            pytest.param(b'{"v": 7}', "version 7", id="another version"),
            pytest.param(b"x" * (1 << 21), "larger than", id="huge"),
            pytest.param(b"\x82\xa0", "not UTF-8", id="not text"),
        ],
    )
    def test_what_is_no_note_is_put_aside_and_told_while_the_others_are_filed(
        self, data_folder, leave, file_all, data, reason
    ):
        spool(data_folder, data, name="0-bad.json")
        leave("prompt")

        assert file_all() == FilingReport(filed=1, bad=1)

        assert Path(data_folder.spool_bad, "0-bad.json").read_bytes() == data
        row = HookFailure.objects.get()
        assert (row.event, row.error) == ("filing", "NoteRefused")
        assert reason in row.message
        assert row.message.startswith("0-bad.json: ")

    def test_nothing_in_the_bad_folder_is_overwritten(self, data_folder, file_all):
        for content in (b"first", b"second", b"third"):
            spool(data_folder, content, name="x.json")
            file_all()

        found = [Path(data_folder.spool_bad, name).read_bytes() for name in ("x.json", "x-1.json", "x-2.json")]
        assert found == [b"first", b"second", b"third"]

    def test_a_folder_or_a_link_in_the_spool_is_put_aside(self, data_folder, file_all, tmp_path):
        spool_new = Path(data_folder.spool_new)
        spool_new.mkdir(parents=True)
        (spool_new / "folder.json").mkdir()
        (spool_new / "link.json").symlink_to(tmp_path / "nowhere")

        assert file_all() == FilingReport(bad=2)

        assert names_in(data_folder.spool_bad) == ["folder.json", "link.json"]
        assert HookFailure.objects.filter(message__contains="no plain file").count() == 2

    def test_a_half_written_file_is_left_to_its_writer(self, data_folder, file_all):
        spool(data_folder, b"{", name="n.json.123.tmp")

        assert file_all() == FilingReport()

        assert names_in(data_folder.spool_new) == ["n.json.123.tmp"]

    def test_a_bad_note_that_cannot_be_moved_is_told_once(self, data_folder, leave, file_all):
        Path(data_folder.spool_bad).parent.mkdir(parents=True)
        Path(data_folder.spool_bad).write_text("a file where the folder belongs")
        spool(data_folder, b"{", name="0.json")
        leave("prompt")

        assert file_all() == FilingReport(filed=1, bad=1, stuck=1)
        assert file_all() == FilingReport(bad=1, stuck=1)

        assert HookFailure.objects.count() == 1

    def test_a_note_that_the_database_does_not_take_is_bad_alone(self, data_folder, leave, file_all, monkeypatch):
        rule = make_rule()
        leave("prompt", shown=[match(rule)], session_id="other")
        leave("prompt", dismissed=[match(rule)])

        def refuse(*_, **__):
            raise ValueError("no")

        monkeypatch.setattr("hooks.ledger.dismiss_rule", refuse)

        assert file_all() == FilingReport(filed=1, bad=1)
        assert Injection.objects.count() == 1
        assert FiledNote.objects.count() == 1


def test_many_notes_take_few_queries(leave, file_all, django_assert_max_num_queries):
    rule, away = make_rule(), make_rule(project_id="home-11111111")
    for number in range(400):
        leave("prompt", session_id=f"s{number % 50}")
        leave("gate", rule_id=str(rule.pk), session_id=f"s{number % 50}")

    for _ in range(10):
        leave("prompt", shown=[match(rule)], shadow=[match(away)])

    with django_assert_max_num_queries(250):  # about 12 for each batch of 200 notes, and 12 for each prompt with rules
        assert file_all() == FilingReport(filed=810)

    assert GateDecision.objects.count() == 400
    assert AgentSession.objects.count() == 50
    assert Rule.objects.get(pk=rule.pk).hit_count == 10


def test_cursors_end_is_read_from_its_own_fields(leave, file_all):
    payload = {
        "conversation_id": "c1",
        "cursor_version": "1.7.2",
        "workspace_roots": ["/w"],
        "transcript_path": "/t/c1.jsonl",
        "reason": "user_close",
        "user_email": "me@example.org",
    }
    leave("session_end", session_id=None, cwd="", reason=None, payload=payload)

    file_all()

    row = AgentSession.objects.get()
    assert (row.session_id, row.host, row.cwd, row.end_reason) == ("c1", "cursor", "/w", "user_close")
    assert "user_email" not in ExtractJob.objects.get().payload


def test_nb019_an_end_that_two_registrations_tell_makes_one_job(leave, file_all):
    leave("session_end")
    leave("session_end", at=NOON.timestamp() + 0.4)

    file_all()

    assert ExtractJob.objects.count() == 1


def test_two_ends_of_one_session_that_went_on_between_make_two_jobs(leave, file_all):
    leave("session_end")
    leave("session_start", at=NOON.timestamp() + 0.2, source="resume")
    leave("session_end", at=NOON.timestamp() + 0.4)

    file_all()

    assert ExtractJob.objects.count() == 2
