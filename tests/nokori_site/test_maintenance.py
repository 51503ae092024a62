import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from filelock import FileLock

from nokori_site.maintenance import MaintenanceBusy, all_scans, maintain
from nokori_site.settle import settle
from rules.models import MaintenanceRun, Rule
from tests.factories import NOW, make_rule

MANY_ROWS = """
from datetime import timedelta
from django.utils import timezone
from rules.models import Injection, Rule
rule = Rule.objects.create(trigger="When", action="Do", status="active", project_scope="global", status_since=timezone.now(),
                           created_at=timezone.now(), updated_at=timezone.now())
old = timezone.now() - timedelta(days=31)
rows = (Injection(rule=rule, session_id="s" * 36, level="warm", at=old, note_id=f"n{i:032}") for i in range(20_000))
Injection.objects.bulk_create(rows)
"""


@pytest.fixture
def maintain_now(data_folder):
    Path(data_folder.root).mkdir()
    return lambda **options: maintain(data_folder, config=settings.NOKORI, now=NOW, **{"only_due": True} | options)


@pytest.fixture
def settle_now(data_folder):
    return lambda: settle(data_folder, config=settings.NOKORI, clock=lambda: NOW)


@pytest.mark.django_db
def test_every_scan_has_a_name_of_its_own(data_folder):
    names = [scan.name for scan in all_scans(data_folder, config=settings.NOKORI)]

    assert len(names) == len(set(names))
    assert names[-1] == "space"  # after the rows are gone


@pytest.mark.django_db
def test_a_second_pass_finds_nothing_due(maintain_now):
    assert len(maintain_now()) > 10
    assert maintain_now() == []
    assert len(maintain_now(only_due=False)) > 10


@pytest.mark.django_db
def test_beside_another_process_it_says_so(maintain_now, data_folder):
    with FileLock(data_folder.maintenance_lock), pytest.raises(MaintenanceBusy):
        maintain_now()


@pytest.mark.django_db
def test_settle_runs_what_is_due(settle_now):
    rule = make_rule(created_at=NOW - timedelta(days=31))

    report = settle_now()

    assert Rule.objects.get(pk=rule.pk).status == "dormant"
    assert "dormant" in report.scans
    assert settle_now().scans == []


@pytest.mark.django_db
def test_settle_goes_on_when_another_process_maintains(settle_now, data_folder):
    Path(data_folder.root).mkdir()

    with FileLock(data_folder.maintenance_lock):
        report = settle_now()

    assert (report.scans, report.problems) == ([], [])


def test_the_verb_says_what_each_scan_did(run_manage):
    run_manage("add", "--trigger", "When it rains", "--action", "Take a coat")

    told = run_manage("maintain")

    assert told.returncode == 0
    assert "dormant            0 put to sleep" in told.stdout.splitlines()


def test_the_verb_says_in_json_what_each_scan_did(run_manage):
    told = json.loads(run_manage("maintain", "--json").stdout)

    assert {"scan": "candidates", "counts": {"deleted": 0, "unmerged": 0}, "problem": ""} in told


def test_two_at_once_and_the_second_one_says_so(run_manage, data_folder):
    Path(data_folder.root).mkdir()

    with FileLock(data_folder.maintenance_lock):
        told = run_manage("maintain")

    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == "nokori: Maintenance is running already.\n"


def test_nb074_the_file_shrinks_when_old_rows_go(run_manage, data_folder):
    run_manage("list")
    run_manage("shell", "-c", MANY_ROWS)
    before = Path(data_folder.database).stat().st_size

    told = run_manage("maintain", "--json")

    counts = {report["scan"]: report["counts"] for report in json.loads(told.stdout)}
    assert counts["injections"] == {"deleted": 20_000}
    assert counts["space"]["freed pages"] > 0
    assert Path(data_folder.database).stat().st_size < before / 5


@pytest.mark.django_db
def test_a_scan_that_fails_is_a_problem_and_the_others_run(settle_now, data_folder, monkeypatch):
    claim = Path(data_folder.coalesce, "claim")
    claim.parent.mkdir(parents=True)
    claim.touch()
    os.utime(claim, (0, 0))
    monkeypatch.setattr("hooks.leftovers.remove_file", _not_permitted)

    report = settle_now()

    assert [problem.step for problem in report.problems] == ["claims"]
    assert set(report.scans) > {"dormant", "claims", "space"}
    assert not MaintenanceRun.objects.filter(scan="claims").exists()


def _not_permitted(path):
    raise PermissionError(path)
