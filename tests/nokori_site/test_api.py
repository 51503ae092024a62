"""What belongs to no app, in the API: overview, health, configuration, upkeep, logs; and what no answer ever holds."""

from pathlib import Path

import pytest
from django.utils import timezone
from filelock import FileLock

from hooks.hot.markers import save_marker
from hooks.models import HookCall
from nokori_site.api_errors import PROBLEM_JSON
from nokori_site.config import load_config
from tests.factories import make_rule
from tests.hooks.hot.test_markers import make_marker


def test_the_overview_is_what_status_counts(api):
    make_rule()

    _, overview = api.get("overview")

    assert overview["rules"]["active"] == 1


def test_health_tells_each_finding_with_what_to_do(api):
    _, findings = api.get("health")

    registration = next(finding for finding in findings if finding["name"] == "registration")
    assert (registration["state"], registration["remedy"]) == ("note", "Run: manage.py install")


def test_settle_publishes_what_is_stale(api, data_folder):
    status, _ = api.post("settle")

    assert status == 204
    assert Path(data_folder.published, "config.json").exists()


def test_a_setting_is_changed_and_told_with_its_source(api, data_folder):
    status, told = api.patch("config", {"settings": {"gate_ttl_seconds": "60"}})

    row = next(row for row in told["settings"] if row["name"] == "gate_ttl_seconds")
    assert (status, told["changed"]) == (200, ["gate_ttl_seconds"])
    assert (row["value"], row["default"], row["source"]) == ("60", "600", "config.toml")
    assert load_config({"NOKORI_DATA_DIR": data_folder.root}).gate_ttl_seconds == 60


def test_a_bad_value_changes_nothing(api, data_folder):
    status, problem = api.patch("config", {"settings": {"gate_enabled": "0", "gate_ttl_seconds": "soon"}})

    assert status == 422
    assert "gate.ttl_seconds" in problem["detail"]
    assert not Path(data_folder.config_toml).exists()


def test_no_answer_holds_a_key(api, data_folder, settings, monkeypatch):
    Path(data_folder.config_toml).write_text('[llm]\napi_key = "file-key-9f8e7d"\nbase_url = "http://me:pass9@llm"\n')
    monkeypatch.setenv("NOKORI_EMBED_API_KEY", "environment-key-1a2b")
    monkeypatch.setenv("NOKORI_DATABASE_URL", "sqlite:////tmp/password-in-here.db")
    settings.NOKORI = load_config({"NOKORI_DATA_DIR": data_folder.root})

    answers = str([api.get(path) for path in ("config", "overview", "openapi.json")])

    assert not [word for word in ("file-key-9f8e7d", "pass9", "environment-key-1a2b", "password-in") if word in answers]


def test_scans_are_run_on_demand(api):
    _, due = api.get("maintenance")
    _, reports = api.post("maintenance", {"only_due": False})
    _, after = api.get("maintenance")

    assert {scan["is_due"] for scan in due} == {True}
    assert [report["scan"] for report in reports] == [scan["scan"] for scan in due]
    assert {scan["is_due"] for scan in after} == {False}


def test_maintenance_that_runs_already_is_a_conflict(api, data_folder):

    with FileLock(data_folder.maintenance_lock):
        status, problem = api.post("maintenance", {})

    assert (status, problem["detail"]) == (409, "Maintenance is running already.")


def test_logs_are_read_from_a_level_on(api, data_folder):
    Path(data_folder.logs).mkdir(parents=True)
    lines = ["2026-11-30T10:00:00Z INFO hook [s] [diag] fine", "2026-11-30T10:00:01Z ERROR hook [s] broken"]
    Path(data_folder.logs, "hook.log").write_text("\n".join(lines) + "\n")

    _, told = api.get("logs", level="warn")

    assert told == {"lines": [lines[1]]}


def test_an_extraction_is_started_only_where_processes_may_start(api):
    assert api.post("extract-now") == (202, {"is_started": False})  # tests start none


def test_an_extraction_that_is_at_work_is_not_started_twice(api, data_folder):

    with FileLock(data_folder.path("extract.lock")):
        status, problem = api.post("extract-now")

    assert (status, problem["detail"]) == (409, "An extraction is at work already.")


@pytest.mark.parametrize("error", [ValueError("/home/me/secret.py, line 3"), OSError("/home/me/secret")], ids=type)
def test_a_mistake_of_ours_is_told_without_a_traceback_or_path(api, monkeypatch, error, caplog):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("nokori_site.api.look_over", fail)

    status, problem = api.get("overview")

    assert status >= 500
    assert api.type == PROBLEM_JSON
    assert "secret" not in str(problem)
    assert "secret" in caplog.text  # the web process's own log has it


def test_activity_is_told_for_a_period(api):
    _, told = api.get("activity", period="24h")

    assert (len(told["columns"]), told["hot"], told["denied"]) == (24, 0, 0)


def test_the_embed_server_is_stopped_also_when_none_runs(api):
    _, standing = api.get("embed-server")
    status, stopped = api.post("embed-server", {"do": "stop"})

    assert (standing["state"], status, stopped["state"]) == ("absent", 200, "absent")


def test_one_scan_is_run_by_its_name(api):
    _, reports = api.post("maintenance", {"only_due": False, "scan": "dormant"})

    assert [report["scan"] for report in reports] == ["dormant"]


def test_how_things_stand_is_told_with_hosts_files_notes_and_gates(api, data_folder):
    now = timezone.now()
    HookCall.objects.create(day=now.date(), event="session-start", host="cursor", calls=1, slowest_ms=1.0, last_at=now)
    save_marker(data_folder, make_marker(session_id="s1", armed_at=100.0))
    Path(data_folder.spool_bad).mkdir(parents=True, exist_ok=True)
    Path(data_folder.spool_bad, "n.json").write_text("{")
    Path(data_folder.published).mkdir(parents=True, exist_ok=True)
    before = api.get("standing")[1]["published_bytes"]
    Path(data_folder.published, "more").write_bytes(b"12345")

    _, standing = api.get("standing")

    assert [(call["host"], call["event"]) for call in standing["hosts"]] == [("cursor", "session-start")]
    assert [gate["session_id"] for gate in standing["gates"]] == ["s1"]
    assert (standing["notes_unreadable"], standing["is_well"]) == (1, False)
    assert standing["published_bytes"] - before == 5
