import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings

from extraction.models import ExtractJob
from hooks.models import AgentSession, GateDecision
from nokori_site.maintenance import maintain
from nokori_site.status import look_over, render
from rules.lifecycle import Mover
from rules.models import Injection, ShadowHit
from rules.succession import Relation, supersede
from tests.extraction.making import make_job
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def overview(data_folder):
    return lambda: look_over(data_folder, config=settings.NOKORI, now=NOW)


def test_rules_are_counted_by_status_type_and_scope(overview):
    make_rule()
    make_rule(status="candidate", source_type="solution", project_id="shop-1f00aa22")
    make_rule(status="archived", source_type="preference", archived_reason="old")

    found = overview()

    assert found.rules == {"candidate": 1, "active": 1, "dormant": 0, "merged": 0, "archived": 1}
    assert found.source_types == {"correction": 1, "solution": 1}
    assert found.scopes == {"global": 1, "project": 1}


def test_injections_are_those_of_a_day(overview):
    rule = make_rule()
    for number, (level, at) in enumerate(
        [("hot", NOW), ("warm", NOW), ("warm", NOW - DAY / 2), ("hot", NOW - 2 * DAY)]
    ):
        Injection.objects.create(rule=rule, session_id="s", level=level, at=at, note_id=str(number))

    assert overview().injections_24h == {"hot": 1, "warm": 2}


def test_gate_answers_are_those_of_a_day(overview):
    for number, (answer, at) in enumerate([("deny", NOW), ("passed", NOW), ("deny", NOW - 2 * DAY)]):
        GateDecision.objects.create(short_id="a3f2b1", session_id="s", answer=answer, at=at, note_id=str(number))

    assert overview().gate_24h == {"deny": 1, "passed": 1}


def test_a_session_is_active_while_it_was_not_idle_too_long(overview):
    for name, idle, ended in [("here", 0, None), ("idle", 1801, None), ("gone", 0, NOW)]:
        moment = NOW - timedelta(seconds=idle)
        AgentSession.objects.create(session_id=name, started_at=moment, last_activity=moment, ended_at=ended)

    assert overview().sessions == {"open": 2, "active": 1}


def test_jobs_are_counted_by_status(overview):
    ExtractJob.objects.create(note_id="1", transcript_path="/t.jsonl", session_id="s", created_at=NOW, updated_at=NOW)

    assert overview().extract_jobs == {"pending": 1}


def test_promotion_names_the_distinct_projects(overview):
    rule = make_rule(project_id="shop-1f00aa22", shadow_hit_count=3)
    for project, day in [("b", "2026-11-29"), ("a", "2026-11-28"), ("a", "2026-11-29")]:
        ShadowHit.objects.create(rule=rule, project_id=project, day=day)

    assert f"{rule.short_id}: shadow_hits=3 2/3 projects=a,b" in render(overview()).splitlines()[-1]


def test_a_candidate_with_enough_projects_waits_until_it_is_active(overview):
    rule = make_rule(project_id="shop-1f00aa22", status="candidate")
    for project in "abc":
        ShadowHit.objects.create(rule=rule, project_id=project, day="2026-11-29")

    assert render(overview()).endswith("3/3 projects=a,b,c (once it is active: now candidate)")


def test_maintenance_is_due_until_it_ran(overview, data_folder):
    Path(data_folder.root).mkdir()
    before = overview()
    maintain(data_folder, config=settings.NOKORI, now=NOW, only_due=True)

    assert {"dormant", "candidates", "unmerge", "injections", "space"} <= set(before.maintenance_due)
    assert "last ran never" in render(before)
    assert overview().maintenance_due == []
    assert "nothing due; last ran 2026-11-30T" in render(overview())


def test_waiting_and_unreadable_notes_are_counted(overview, data_folder):
    for place, count in [(data_folder.spool_new, 2), (data_folder.spool_bad, 1)]:
        Path(place).mkdir(parents=True)
        for number in range(count):
            Path(place, f"{number}.json").touch()

    assert overview().notes == {"waiting": 2, "unreadable": 1}


def test_half_a_note_of_a_hook_that_was_killed_is_not_counted(overview, data_folder):
    Path(data_folder.spool_new).mkdir(parents=True)
    Path(data_folder.spool_new, "1.json.2c14-c3391ab2.tmp").touch()

    assert overview().notes["waiting"] == 0


def test_a_session_that_could_not_be_extracted_is_shown_with_the_reason(overview):
    job = make_job("/t/s1.jsonl")
    ExtractJob.objects.filter(pk=job.pk).update(
        status="dead", attempts=3, last_error="The model took longer than it may."
    )

    assert "not extracted      dead, 3 attempts: /t/s1.jsonl: The model took longer than it may." in render(overview())


def test_what_was_given_up_comes_with_the_way_back_and_what_is_still_tried_without(overview):
    for path, status in [("/t/s1.jsonl", "failed"), ("/t/s2.jsonl", "pending")]:
        job = make_job(path)
        ExtractJob.objects.filter(pk=job.pk).update(status=status, last_error="It is gone.")
    told = render(overview())
    ExtractJob.objects.filter(status="failed").delete()

    assert told.count("`extract --retry`") == 1
    assert "`extract --retry`" not in render(overview())


def test_why_an_armed_gate_let_a_call_pass_is_told_in_words(overview):
    for number, answer in enumerate(["deny", "mismatch", "mismatch"]):
        GateDecision.objects.create(short_id="a3f2b1", session_id="s", answer=answer, at=NOW, note_id=str(number))

    assert "gate in 24 h       1 denied, 2 passed: armed for an earlier prompt" in render(overview())


def test_what_is_wrong_with_the_configuration_is_told(run_manage, monkeypatch):
    monkeypatch.setenv("NOKORI_GATE_TTL_SECONDS", "soon")

    assert "configuration      NOKORI_GATE_TTL_SECONDS = 'soon' is not allowed" in run_manage("status").stdout


def test_nb098_two_rules_of_which_one_waits_for_the_others_place_are_shown(overview):
    old, new = make_rule(), make_rule(status="candidate", confidence="medium")
    supersede(old, new, relation=Relation.CONTRADICTS, by=Mover.EXTRACTION, now=NOW)

    assert f"unresolved         {new.short_id} contradicts {old.short_id}" in render(overview())


def test_the_verb_prints_rows_or_json(run_manage):
    rows, tree = run_manage("status").stdout, json.loads(run_manage("status", "--json").stdout)

    assert "rules              0 candidate, 0 active" in rows
    assert tree["published"]["config"] is True
    assert f"this folder's id   {tree['project']}" in rows
