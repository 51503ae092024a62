"""Scans: when they are due, and what the ones on rules do. Each promise of the README is in test_promises.py."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import DatabaseError
from django.utils import timezone

from rules.maintenance import (
    KEPT_RUNS,
    ROW_SCANS,
    Scan,
    ScanReport,
    delete_in_batches,
    is_due,
    run_scans,
    scan_times,
)
from rules.models import Injection, MaintenanceRun, Rule, ShadowHit
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
BERLIN = ZoneInfo("Europe/Berlin")


def scan(name="weekly", *, every=7 * DAY, run=lambda now: {"done": 1}):
    return Scan(name=name, every=every, run=run)


def run_row_scan(name, *, now=NOW):
    [report] = run_scans([row_scan for row_scan in ROW_SCANS if row_scan.name == name], now=now, only_due=False)
    assert report.problem == ""
    return report.counts


@pytest.mark.parametrize(
    ("ran_at", "answer"),
    [
        pytest.param(None, True, id="never ran"),
        pytest.param(NOW - 7 * DAY, True, id="ran an interval ago"),
        pytest.param(NOW - 7 * DAY + timedelta(seconds=1), False, id="ran a second later"),
        pytest.param(NOW, False, id="ran just now"),
        pytest.param(NOW + 300 * DAY, True, id="ran in the future: the clock went back"),
    ],
)
def test_a_scan_is_due_after_its_interval(ran_at, answer):
    assert is_due(scan(), ran_at, now=NOW) is answer


def test_a_run_is_remembered_so_that_it_is_not_due_at_once():
    run_scans([scan()], now=NOW, only_due=True)

    assert run_scans([scan()], now=NOW + DAY, only_due=True) == []
    assert len(run_scans([scan()], now=NOW + 7 * DAY, only_due=True)) == 1
    assert MaintenanceRun.objects.latest("pk").summary == {"done": 1}


def test_on_demand_every_scan_runs():
    run_scans([scan()], now=NOW, only_due=True)

    assert run_scans([scan()], now=NOW, only_due=False) == [ScanReport(scan="weekly", counts={"done": 1})]


def test_a_scan_that_fails_is_due_again_and_keeps_no_other_from_running():
    def fail(now):
        raise DatabaseError("disk I/O error")

    reports = run_scans([scan("broken", run=fail), scan("sound")], now=NOW, only_due=True)

    assert [(report.scan, report.problem) for report in reports] == [
        ("broken", "DatabaseError: disk I/O error"),
        ("sound", ""),
    ]
    assert [report.scan for report in run_scans([scan("broken"), scan("sound")], now=NOW, only_due=True)] == ["broken"]


def test_only_the_latest_runs_are_kept():
    for hour in range(KEPT_RUNS + 5):
        run_scans([scan(), scan("other")], now=NOW + timedelta(hours=hour), only_due=False)

    assert MaintenanceRun.objects.filter(scan="weekly").count() == KEPT_RUNS
    assert MaintenanceRun.objects.latest("pk").ran_at == NOW + timedelta(hours=KEPT_RUNS + 4)


def test_each_scan_tells_when_it_ran_and_when_it_is_due():
    run_scans([scan()], now=NOW, only_due=True)

    weekly, new = scan_times([scan(), scan("new")], now=NOW + DAY)

    assert (weekly.ran_at, weekly.due_at, weekly.is_due) == (NOW, NOW + 7 * DAY, False)
    assert (new.ran_at, new.due_at, new.is_due) == (None, None, True)


@pytest.mark.parametrize("column", ["last_hit", "activated_at", "created_at"])
@pytest.mark.parametrize(("age", "status"), [(30 * DAY, "dormant"), (30 * DAY - timedelta(seconds=1), "active")])
def test_an_active_rule_sleeps_30_days_after_the_latest_of_hit_activation_and_creation(column, age, status):
    old = dict.fromkeys(("last_hit", "activated_at", "created_at"), NOW - 300 * DAY)
    make_rule(**old | {column: NOW - age})

    run_row_scan("dormant")

    assert Rule.objects.get().status == status


def test_a_rule_that_was_hit_in_the_future_does_not_sleep():
    make_rule(created_at=NOW - 300 * DAY, last_hit=NOW + 10 * DAY)

    assert run_row_scan("dormant") == {"put to sleep": 0}


def test_each_rule_that_falls_asleep_has_a_row_of_history():
    for _ in range(3):
        make_rule(created_at=NOW - 30 * DAY)

    assert run_row_scan("dormant") == {"put to sleep": 3}
    assert set(Rule.objects.values_list("history__by", "history__why", "history__at")) == {
        ("maintenance", "no hit for 30 days", NOW)
    }


@pytest.mark.parametrize("status", ["candidate", "dormant", "merged", "archived"])
def test_only_active_rules_fall_asleep(status):
    make_rule(status=status, created_at=NOW - 300 * DAY)

    assert run_row_scan("dormant") == {"put to sleep": 0}


@pytest.mark.parametrize(
    ("now", "created_at", "is_deleted"),
    [
        pytest.param(
            datetime(2026, 11, 30, 0, 1, tzinfo=BERLIN), datetime(2026, 11, 10, 23, 59, tzinfo=BERLIN), True,
            id="a minute before midnight and a minute after are 20 calendar days",
        ),
        pytest.param(
            datetime(2026, 11, 30, 23, 59, tzinfo=BERLIN), datetime(2026, 11, 11, 0, 0, tzinfo=BERLIN), False,
            id="nearly 20 days, but 19 calendar days",
        ),
        pytest.param(
            datetime(2026, 11, 10, 0, 30, tzinfo=BERLIN), datetime(2026, 10, 21, 23, 30, tzinfo=BERLIN), True,
            id="winter time began in between",
        ),
        pytest.param(
            datetime(2026, 4, 10, 23, 30, tzinfo=BERLIN), datetime(2026, 3, 22, 0, 30, tzinfo=BERLIN), False,
            id="summer time began in between",
        ),
    ],
)  # fmt: skip
def test_candidates_age_by_the_users_calendar(now, created_at, is_deleted):
    make_rule(status="candidate", created_at=created_at, status_since=created_at)

    with timezone.override(BERLIN):
        run_row_scan("candidates", now=now)

    assert (Rule.objects.count() == 0) is is_deleted


def test_an_old_candidate_that_was_imported_today_has_its_time():
    make_rule(status="candidate", created_at=NOW - 300 * DAY, status_since=NOW)

    assert run_row_scan("candidates")["deleted"] == 0
    assert run_row_scan("candidates", now=NOW + 20 * DAY)["deleted"] == 1


def test_with_a_candidate_goes_what_spoke_for_it_and_nothing_else_is_counted():
    rule = make_rule(status="candidate", created_at=NOW - 30 * DAY, status_since=NOW - 30 * DAY)
    rule.evidence.create(kind="shadow_hot", points=1, day=NOW.date(), at=NOW)
    rule.shadow_hits.create(project_id="a", day=NOW.date())

    assert run_row_scan("candidates") == {"deleted": 1, "unmerged": 0}
    assert not ShadowHit.objects.exists()


def test_a_chain_of_merges_stands_while_its_end_is_in_use():
    last = make_rule()
    middle = make_rule(status="merged", superseded_by=last)
    make_rule(status="merged", superseded_by=middle)

    assert run_row_scan("unmerge") == {"unmerged": 0}


def test_an_unmerged_rule_names_no_successor():
    make_rule(status="merged", superseded_by=make_rule(status="archived"))

    assert run_row_scan("unmerge") == {"unmerged": 1}
    assert Rule.objects.get(status="dormant").superseded_by is None


def test_old_shadow_hits_go_but_never_the_last_one_of_a_project():
    rule = make_rule(project_id="home")
    for project_id, age in (("a", 200), ("a", 100), ("a", 10), ("b", 300), ("b", 200), ("c", 5)):
        rule.shadow_hits.create(project_id=project_id, day=(NOW - age * DAY).date())

    assert run_row_scan("shadow hits") == {"deleted": 3}
    assert rule.shadow_hits.values("project_id").distinct().count() == 3


def test_many_rows_go_in_several_transactions(monkeypatch, django_assert_num_queries):
    rule = make_rule()
    row = {"rule": rule, "session_id": "s", "level": "hot"}
    Injection.objects.bulk_create([Injection(**row, at=NOW - 31 * DAY, note_id=str(number)) for number in range(25)])
    monkeypatch.setattr("rules.maintenance.BATCH_ROWS", 10)

    with django_assert_num_queries(4):
        deleted = delete_in_batches(Injection.objects.filter(at__lt=NOW))

    assert deleted == 25
