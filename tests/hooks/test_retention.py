from datetime import timedelta

import pytest

from hooks.models import AgentSession, FiledNote, GateDecision, HookCall, HookFailure
from hooks.retention import hook_scans
from rules.maintenance import run_scans
from tests.factories import NOW

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def session(at):
    return AgentSession.objects.create(session_id=str(at), started_at=at - DAY, last_activity=at, ended_at=at)


def decision(at):
    return GateDecision.objects.create(session_id="s", answer="deny", at=at, note_id=str(at))


def failure(at):
    return HookFailure.objects.create(error="OSError", at=at, note_id=str(at))


def call_count(at):
    return HookCall.objects.create(day=at.date(), event=str(at), calls=1, last_at=at)


def filed_note(at):
    return FiledNote.objects.create(note_id=str(at), filed_at=at)


@pytest.mark.parametrize(
    ("make", "days", "label"),
    [
        pytest.param(session, 60, "sessions", id="sessions"),
        pytest.param(decision, 90, "gate decisions", id="gate decisions"),
        pytest.param(failure, 30, "failures", id="failures"),
        pytest.param(call_count, 365, "daily counts", id="daily counts"),
        pytest.param(filed_note, 30, "filed notes", id="filed notes"),
    ],
)
def test_rows_go_when_they_are_older_than_their_time(data_folder, make, days, label):
    old, young = make(NOW - days * DAY - timedelta(seconds=1)), make(NOW - days * DAY)

    reports = run_scans(hook_scans(data_folder, gate_ttl_seconds=600), now=NOW, only_due=True)

    counts = {report.scan: report.counts for report in reports}["hook rows"]
    assert {name for name, count in counts.items() if count} == {label}
    assert list(type(old).objects.all()) == [young]


def test_files_are_looked_at_hourly_and_markers_every_ten_minutes(data_folder):
    every = {scan.name: scan.every for scan in hook_scans(data_folder, gate_ttl_seconds=600)}

    assert every["markers"] == timedelta(minutes=10)
    assert {every[name] for name in ("claims", "session files", "temporary files", "unreadable notes")} == {
        timedelta(hours=1)
    }
