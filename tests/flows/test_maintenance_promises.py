"""The README's maintenance, sentence by sentence: each case is one sentence, its key words are the case's id."""

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings

from hooks.models import AgentSession, FiledNote, GateDecision, HookCall, HookFailure
from nokori_site.maintenance import all_scans, maintain
from nokori_site.settle import settle
from rules.models import Injection, MaintenanceRun, Rule
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
CASES: dict[str, Callable[..., None]] = {}
INTERVALS = {
    "dormant": 7 * DAY,
    "candidates": 30 * DAY,
    "unmerge": 90 * DAY,
    "injections": 7 * DAY,
}


def sentence(key_words):
    """Registers a case under the key words of its sentence."""

    def register(case):
        assert key_words not in CASES
        CASES[key_words] = case
        return case

    return register


def maintain_at(folder, now, *, only_due=True):
    """What each scan that ran did."""
    Path(folder.root).mkdir(exist_ok=True)
    reports = maintain(folder, config=settings.NOKORI, now=now, only_due=only_due)
    assert [report.problem for report in reports if report.problem] == []
    return {report.scan: report.counts for report in reports}


def scans_of_settle(folder, now):
    report = settle(folder, config=settings.NOKORI, clock=lambda: now)
    return set(report.scans) if report else None


def make_candidate(*, age, **changes):
    return make_rule(status="candidate", created_at=NOW - age, status_since=NOW - age, **changes)


def leave_file(folder, name, *, age):
    path = Path(folder.root, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    moment = (NOW - age).timestamp()
    os.utime(path, (moment, moment))
    return path


def status_of(rule):
    return Rule.objects.get(pk=rule.pk).status


@sentence("runs from SessionStart, which starts settle, on its intervals")
def _(folder):
    first, soon, next_week = (scans_of_settle(folder, NOW + wait) for wait in (0 * DAY, HOUR / 10, 7 * DAY))

    assert {"dormant", "candidates", "unmerge", "injections"} <= first
    assert soon == set()
    assert {"dormant", "injections"} <= next_week
    assert not {"candidates", "unmerge"} & next_week


@sentence("intervals: dormant scan 7 days, candidates 30, unmerge 90, injections 7")
def _(folder):
    every = {scan.name: scan.every for scan in all_scans(folder, config=settings.NOKORI)}

    assert {name: every[name] for name in INTERVALS} == INTERVALS


@sentence("intervals: due-times are kept in the database")
def _(folder):
    maintain_at(folder, NOW)

    assert {run.ran_at for run in MaintenanceRun.objects.filter(scan__in=INTERVALS)} == {NOW}


@sentence("dormant scan: an active rule with no hit for 30 days drops to dormant")
def _(folder):
    old = make_rule(created_at=NOW - 90 * DAY, last_hit=NOW - 30 * DAY)
    young = make_rule(created_at=NOW - 90 * DAY, last_hit=NOW - 29 * DAY)

    maintain_at(folder, NOW)

    assert (status_of(old), status_of(young)) == ("dormant", "active")


@sentence("dormant scan: a fresh activation counts as a hit")
def _(folder):
    rule = make_rule(created_at=NOW - 90 * DAY, activated_at=NOW - DAY)

    maintain_at(folder, NOW)

    assert status_of(rule) == "active"


@sentence("candidate cleanup: ordinary candidates that reached 20 calendar days are deleted")
def _(folder):
    old, young = make_candidate(age=20 * DAY), make_candidate(age=19 * DAY)

    maintain_at(folder, NOW)

    assert list(Rule.objects.all()) == [young]
    assert old.pk != young.pk


@sentence("candidate cleanup: anti_pattern candidates at 40 days")
def _(folder):
    make_candidate(age=40 * DAY, source_type="anti_pattern")
    young = make_candidate(age=39 * DAY, source_type="anti_pattern")

    maintain_at(folder, NOW)

    assert list(Rule.objects.all()) == [young]


@sentence("candidate cleanup: by calendar date, not a rolling window")
def _(folder):
    midnight = NOW.astimezone().replace(hour=0, minute=0)
    make_candidate(age=NOW - (midnight - 19 * DAY - timedelta(minutes=1)))

    maintain_at(folder, midnight + timedelta(minutes=1))

    assert not Rule.objects.exists()


@sentence("candidate cleanup: at most once every 30 days")
def _(folder):
    maintain_at(folder, NOW)
    make_candidate(age=20 * DAY)

    assert "candidates" not in maintain_at(folder, NOW + 29 * DAY)
    assert maintain_at(folder, NOW + 30 * DAY)["candidates"]["deleted"] == 1


@sentence("unmerge check: reverts to dormant when the successor was deleted")
def _(folder):
    rule = make_rule(status="merged", superseded_by=make_rule())
    Rule.objects.exclude(pk=rule.pk).delete()

    maintain_at(folder, NOW)

    assert status_of(rule) == "dormant"


@sentence("unmerge check: reverts to dormant when the successor went dormant or archived")
def _(folder):
    rules = [make_rule(status="merged", superseded_by=make_rule(status=status)) for status in ("dormant", "archived")]

    maintain_at(folder, NOW)

    assert [status_of(rule) for rule in rules] == ["dormant", "dormant"]


@sentence("unmerge check: leaves a rule alone whose successor is in use")
def _(folder):
    rule = make_rule(status="merged", superseded_by=make_rule())

    maintain_at(folder, NOW)

    assert status_of(rule) == "merged"


@sentence("unmerge check: runs immediately after candidate cleanup deleted an anchor rule")
def _(folder):
    maintain_at(folder, NOW - 30 * DAY)
    rule = make_rule(status="merged", superseded_by=make_candidate(age=25 * DAY))

    done = maintain_at(folder, NOW)

    assert "unmerge" not in done
    assert done["candidates"] == {"deleted": 1, "unmerged": 1}
    assert status_of(rule) == "dormant"


@sentence("session file cleanup: registry files that ended more than 60 days ago")
def _(folder):
    old, young = (
        leave_file(folder, "sessions/a.json", age=61 * DAY),
        leave_file(folder, "sessions/b.json", age=59 * DAY),
    )

    assert maintain_at(folder, NOW)["session files"] == {"deleted": 1}
    assert (old.exists(), young.exists()) == (False, True)


@sentence("hook coalesce cleanup: claim files older than 24 hours")
def _(folder):
    old, young = (
        leave_file(folder, "hook_coalesce/a", age=25 * HOUR),
        leave_file(folder, "hook_coalesce/b", age=23 * HOUR),
    )

    assert maintain_at(folder, NOW)["claims"] == {"deleted": 1}
    assert (old.exists(), young.exists()) == (False, True)


@sentence("injection cleanup: rows older than 30 days")
def _(folder):
    rule = make_rule()
    for number, age in enumerate((31 * DAY, 29 * DAY)):
        Injection.objects.create(rule=rule, session_id="s", level="hot", at=NOW - age, note_id=str(number))

    assert maintain_at(folder, NOW)["injections"] == {"deleted": 1}
    assert Injection.objects.get().at == NOW - 29 * DAY


@sentence("markers that no longer block, unreadable notes and half-written files go too")
def _(folder):
    names = ("gate_markers/a.json", "spool/bad/a.json", "published/rules.idx.1f-00ff.tmp")
    files = [leave_file(folder, name, age=61 * DAY) for name in names]

    maintain_at(folder, NOW)

    assert [path.exists() for path in files] == [False, False, False]


@sentence("logs are turned over when they are full")
def _(folder):
    log = leave_file(folder, "logs/hook.log", age=HOUR)
    log.write_bytes(b"0" * 2_000_000)

    assert maintain_at(folder, NOW)["logs"] == {"rotated": 1}


@sentence("what the hooks did is not kept for ever")
def _(folder):
    long_ago = NOW - 400 * DAY
    AgentSession.objects.create(session_id="s", started_at=long_ago, last_activity=long_ago)
    GateDecision.objects.create(session_id="s", answer="deny", at=long_ago, note_id="1")
    HookFailure.objects.create(error="OSError", at=long_ago, note_id="1")
    HookCall.objects.create(day=long_ago.date(), event="prompt", last_at=long_ago)
    FiledNote.objects.create(note_id="1", filed_at=long_ago)

    counts = maintain_at(folder, NOW)["hook rows"]

    assert set(counts.values()) == {1}


@sentence("to run a pass right now: maintain runs every scan, due or not, and prints what each did")
def _(folder):
    maintain_at(folder, NOW)

    done = maintain_at(folder, NOW, only_due=False)

    assert set(done) == {scan.name for scan in all_scans(folder, config=settings.NOKORI)}
    assert json.loads(json.dumps(done)) == done


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_sentence_holds(case, data_folder):
    case(data_folder)
