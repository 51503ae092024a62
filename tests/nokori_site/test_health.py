import json
import os
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings

from extraction.models import ExtractJob
from hooks.models import HookCall, HookFailure
from nokori_site.config import load_config
from nokori_site.finding import Finding, State, as_table
from nokori_site.health import examine, has_failed
from nokori_site.health_lines import check_other_files
from tests.factories import make_rule

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def findings(data_folder):
    """The findings of one name, in a data folder that exists."""
    Path(data_folder.root).mkdir(mode=0o700, exist_ok=True)

    def examine_now(name: str) -> list[Finding]:
        found = examine(data_folder, config=settings.NOKORI, now=NOW)
        return [finding for finding in found if finding.name == name]

    return examine_now


@pytest.fixture
def finding(findings):
    def only(name):
        (found,) = findings(name)
        return found

    return only


def touch(folder: str, name: str, *, at: datetime = NOW, size: int = 1) -> None:
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"." * size)
    os.utime(path, (at.timestamp(), at.timestamp()))


def test_a_fresh_installation_has_nothing_that_failed(findings, data_folder):
    assert not has_failed(examine(data_folder, config=settings.NOKORI, now=NOW))


def test_each_problem_of_the_configuration_is_a_failure(findings, data_folder, settings):
    settings.NOKORI = load_config(
        {"NOKORI_DATA_DIR": data_folder.root, "NOKORI_STRICT": "x", "NOKORI_GATE_MATCHER": "("}
    )

    assert [(found.state, found.detail.split(" =")[0]) for found in findings("configuration")] == [
        (State.FAIL, "NOKORI_STRICT"),
        (State.FAIL, "NOKORI_GATE_MATCHER"),
    ]


def test_being_switched_off_is_told(finding, data_folder, settings):
    settings.NOKORI = load_config({"NOKORI_DATA_DIR": data_folder.root, "NOKORI_DISABLED": "1"})

    assert finding("switch").state is State.WARN


def test_files_that_others_can_read_are_named(finding, data_folder):
    touch(data_folder.root, "config.toml")
    Path(data_folder.config_toml).chmod(0o644)

    found = finding("data folder")

    assert (found.state, found.detail) == (State.WARN, "config.toml can be read by others")
    assert data_folder.root in found.remedy


@pytest.mark.parametrize(
    ("free", "state"), [(10**9, State.OK), (10**8, State.WARN), (10**6, State.FAIL)], ids=["enough", "little", "none"]
)
def test_space_on_the_disk_is_watched(finding, monkeypatch, free, state):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))

    assert finding("disk").state is state


def test_a_stale_configuration_is_published_by_looking(finding):
    assert finding("config.json").state is State.OK


def test_rules_that_lag_behind_are_published_by_looking(finding):
    make_rule()

    found = finding("rules.idx")

    assert (found.state, found.detail[:7]) == (State.OK, "1 rule ")


def test_notes_that_wait_long_mean_that_nobody_settles(finding, data_folder):
    touch(data_folder.spool_new, "0001.tmp", at=NOW - timedelta(hours=2))

    found = finding("spool")

    assert found.state is State.WARN
    assert f"{NOW - timedelta(hours=2):%Y-%m-%d %H:%M}" in found.detail
    assert "UTC" not in found.detail


def test_unreadable_notes_are_counted(finding, data_folder):
    touch(data_folder.spool_bad, "0001.json")

    assert finding("bad notes").detail.startswith("1 unreadable")


def test_without_our_hooks_the_way_to_register_is_named(finding):
    found = finding("registration")

    assert (found.state, found.remedy) == (State.NOTE, "Run: manage.py install")


def test_a_broken_settings_file_of_the_client_is_a_failure(finding, tmp_path):
    touch(str(tmp_path), "claude/settings.json")

    assert finding("registration").state is State.FAIL


def test_registered_hooks_are_found(run_manage, finding):
    run_manage("install")

    assert finding("registration").state is State.OK


def test_hooks_of_an_interpreter_that_is_gone_are_a_failure(run_manage, findings, tmp_path):
    run_manage("install")
    registered = Path(tmp_path, "claude", "settings.json")
    registered.write_text(registered.read_text().replace(sys.executable, "/gone/bin/python"))

    found = findings("registration")[0]

    assert (found.state, found.remedy) == (State.FAIL, "Run: manage.py install")
    assert "/gone/bin/python" in found.detail


def test_the_last_call_of_a_hook_comes_from_its_stamp_or_from_the_rows(finding, data_folder):
    HookCall.objects.create(day="2026-11-29", event="session-end", calls=1, last_at=NOW - timedelta(days=1))
    touch(data_folder.stamps, "session-start")

    assert finding("session-end").detail.startswith("last called 2026-11-29")
    assert finding("session-start").detail.startswith("last called 2026-11-30")
    assert finding("pre-tool-use").detail == "not called yet"


def test_three_misses_in_a_row_are_told_two_are_not(findings, data_folder):
    touch(data_folder.stamps, "deadline-session-start", size=2)
    touch(data_folder.stamps, "deadline-user-prompt-submit", size=3)

    assert [found.detail.split()[0] for found in findings("deadline")] == ["user-prompt-submit"]


def test_failures_of_a_day_are_counted_with_the_last_one(finding):
    for number, (hours, is_deadline) in enumerate([(1, True), (2, False), (30, False)]):
        HookFailure.objects.create(
            event="session-end",
            error="OSError",
            message=f"number {number}",
            is_deadline=is_deadline,
            at=NOW - timedelta(hours=hours),
            note_id=str(number),
        )

    assert finding("failures").detail == "2 in 24 hours, 1 of them too late; last: session-end OSError: number 0"


def test_every_warning_says_what_to_do(findings, data_folder):
    touch(data_folder.spool_bad, "0001.json")
    touch(data_folder.stamps, "deadline-session-start", size=3)
    touch(data_folder.root, "config.toml")
    Path(data_folder.config_toml).chmod(0o644)

    found = [row for row in examine(data_folder, config=settings.NOKORI, now=NOW) if row.state is State.WARN]

    assert len(found) == 3
    assert all(row.remedy for row in found)


def test_a_foreign_database_is_a_failure_and_stays_untouched(run_manage, data_folder):
    Path(data_folder.root).mkdir()
    Path(data_folder.database).write_bytes(b"SQLite format 3\0" + bytes(200))

    result = run_manage("health", "--json")

    failed = [row["name"] for row in json.loads(result.stdout)["findings"] if row["state"] == "fail"]
    assert (result.returncode, failed) == (1, ["database"])
    assert [path.name for path in Path(data_folder.root).iterdir()] == ["rules.db"]


def test_a_damaged_database_is_a_failure_with_a_remedy(run_manage, data_folder):
    run_manage("status")
    path = Path(data_folder.database)
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5000)

    result = run_manage("health", "--json")

    (found,) = [row for row in json.loads(result.stdout)["findings"] if row["name"] == "database"]
    assert (result.returncode, found["state"]) == (1, "fail")
    assert "import" in found["remedy"]


def test_the_verb_prints_a_row_for_each_finding_and_ends_well(run_manage):
    result = run_manage("health")

    assert (result.returncode, result.stderr) == (0, "")
    assert "✓ configuration" in result.stdout


def test_nb125_hooks_that_vanished_are_told(run_manage, finding, tmp_path):
    run_manage("install")
    Path(tmp_path, "claude", "settings.json").write_text("{}")

    found = finding("registration")

    assert (found.state, found.remedy) == (State.WARN, "Run: manage.py install")
    assert "vanished" in found.detail


def test_two_programs_that_call_for_one_prompt_are_told(run_manage, findings):
    run_manage("install", "--all")

    assert [found.state for found in findings("double registration")] == [State.WARN]
    assert [found.state for found in findings("registration cursor")] == [State.OK]


def test_a_program_without_our_hooks_is_not_mentioned(findings):
    assert findings("registration cursor") == findings("registration codex") == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (',\n            "timeout": 20', "", "no timeout for SessionEnd"),
        ('"SessionEnd"', '"Other"', "SessionEnd missing"),
        (sys.executable, "C:/Users/me/AppData/Local/Microsoft/WindowsApps/python.exe", "WindowsApps"),
    ],
    ids=["timeout", "missing", "store alias"],
)
def test_nb043_what_became_of_an_entry_is_told(run_manage, findings, tmp_path, old, new, words):
    run_manage("install")
    path = Path(tmp_path, "claude", "settings.json")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))

    assert any(words in row.detail for row in findings("registration"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"matcher": "Edit|', '"matcher": "', "gate.matcher names Edit, for which"),
        ("", "", "name the same tools"),
    ],
    ids=["narrower", "same"],
)
def test_the_two_layers_of_matching_are_compared(run_manage, finding, tmp_path, old, new, words):
    run_manage("install")
    path = Path(tmp_path, "claude", "settings.json")
    path.write_text(path.read_text().replace(old, new))

    assert words in finding("matchers").detail


def test_a_hook_that_is_called_for_tools_that_the_gate_never_blocks_is_told(run_manage, finding, settings, data_folder):
    run_manage("install")
    settings.NOKORI = load_config({**os.environ, "NOKORI_GATE_MATCHER": "Edit|Write"})

    found = finding("matchers")

    assert found.state is State.NOTE
    assert "Bash" in found.detail


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ('"timeout": 20', '"timeout": 2', "timeout of SessionEnd"),
        ('"matcher": "Edit|', '"matcher": "', "matcher of PreToolUse"),
    ],
    ids=["timeout", "matcher"],
)
def test_what_changed_since_install_is_told_until_it_is_run_again(run_manage, findings, tmp_path, old, new, changed):
    run_manage("install")
    path = Path(tmp_path, "claude", "settings.json")
    path.write_text(path.read_text().replace(old, new))

    before = findings("registration")
    run_manage("install")
    after = findings("registration")

    assert [(row.state, row.detail.partition(": ")[2]) for row in before] == [(State.NOTE, changed)]
    assert [row.state for row in after] == [State.OK]


def test_hooks_in_a_home_that_another_environment_chose_are_found_when_dead(
    run_manage, findings, tmp_path, monkeypatch
):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    run_manage("install")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    path = tmp_path / "elsewhere" / "settings.json"
    alive = findings("other hooks")

    path.write_text(path.read_text().replace(sys.executable, "/gone/bin/python"))

    assert [row.state for row in alive] == [State.WARN]
    assert [(row.state, str(path) in row.detail) for row in findings("other hooks")] == [(State.FAIL, True)]


def test_hooks_in_the_usual_home_are_found_when_another_one_is_in_use(
    run_manage, findings, tmp_path, monkeypatch, data_folder
):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    run_manage("install")
    Path(data_folder.install_record).unlink()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))

    assert [str(tmp_path / ".claude" / "settings.json") in row.detail for row in findings("other hooks")] == [True]


class TestManagedFiles:
    """Settings that somebody else writes for this machine."""

    @pytest.fixture
    def registered(self, run_manage, tmp_path):
        """A settings text with our hooks."""
        run_manage("install")
        return Path(tmp_path, "claude", "settings.json").read_text()

    @pytest.fixture
    def rows(self, tmp_path):
        folder = tmp_path / "managed"
        folder.mkdir()

        def check(text):
            (folder / "managed-settings.json").write_text(text)
            return [(row.state, row.detail) for row in check_other_files(tmp_path, managed_folders=(str(folder),))]

        return check

    def test_hooks_of_ours_there_are_named(self, rows, registered):
        ((state, detail),) = rows(registered)

        assert (state, "registers Nokori as well" in detail) == (State.WARN, True)

    def test_a_dead_program_there_is_a_failure(self, rows, registered):
        ((state, detail),) = rows(registered.replace(sys.executable, "/gone/bin/python"))

        assert (state, "/gone/bin/python" in detail) == (State.FAIL, True)

    @pytest.mark.parametrize("key", ["allowManagedHooksOnly", "disableAllHooks"])
    def test_one_that_keeps_our_hooks_from_running_is_told(self, rows, key):
        ((state, detail),) = rows(f'{{"{key}": true}}')

        assert (state, "no hook of your own" in detail) == (State.WARN, True)

    def test_hooks_of_others_there_are_no_news(self, rows):
        assert rows('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "nokori-notes"}]}]}}') == []


def test_a_project_file_whose_program_is_gone_is_a_failure(run_manage, findings, tmp_path, monkeypatch):
    run_manage("install")
    path = tmp_path / "project" / ".cursor" / "hooks.json"
    path.parent.mkdir(parents=True)
    registered = Path(tmp_path, "claude", "settings.json").read_text()
    path.write_text(registered.replace("manage.py", "gone/manage.py"))
    monkeypatch.chdir(path.parent.parent)

    assert [row.state for row in findings("project hooks")] == [State.FAIL]


@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json", ".github/hooks/nokori.json"])
def test_nb021_a_project_file_that_registers_us_too_is_named(run_manage, findings, tmp_path, monkeypatch, name):
    run_manage("install")
    project = tmp_path / "project"
    path = project / name
    path.parent.mkdir(parents=True)
    path.write_text(Path(tmp_path, "claude", "settings.json").read_text())
    monkeypatch.chdir(project)

    (found,) = findings("project hooks")

    assert (found.state, str(path) in found.detail) == (State.WARN, True)


def test_hooks_of_others_in_a_project_are_no_news(findings, tmp_path, monkeypatch):
    path = tmp_path / "project" / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "nokori-notes"}]}]}}')
    monkeypatch.chdir(path.parent.parent)

    assert findings("project hooks") == []


def test_the_last_call_is_told_for_each_host(findings):
    for host, hours in [("claude", 2), ("cursor", 1)]:
        HookCall.objects.create(
            day="2026-11-30", event="user-prompt-submit", host=host, calls=1, last_at=NOW - timedelta(hours=hours)
        )

    assert [row.detail.split(":")[0] for row in findings("hosts")] == ["claude", "cursor"]


def test_jobs_that_were_given_up_are_told_with_the_last_ones_reason_and_the_way_back(finding):
    ExtractJob.objects.create(note_id="n1", transcript_path="/t.jsonl", session_id="s", status="dead", last_error="It broke.", created_at=NOW, updated_at=NOW)  # fmt: skip

    found = finding("jobs")

    assert (found.state, found.remedy) == (State.WARN, "Run: manage.py extract --retry")
    assert found.detail == "1 dead; last given up: /t.jsonl: It broke."


def test_the_rows_stand_below_one_another_however_long_their_names_are():
    rows = [Finding("disk", State.OK, "enough"), Finding("double registration", State.WARN, "two", "Take one out.")]

    assert as_table(rows).splitlines() == [
        "✓ disk                enough",
        "! double registration two",
        "                      > Take one out.",
    ]


def test_a_setting_that_does_not_exist_is_a_warning(finding, data_folder, settings):
    Path(data_folder.config_toml).write_text("colour = 1\n")
    Path(data_folder.config_toml).chmod(0o600)
    settings.NOKORI = load_config(os.environ)

    assert finding("configuration").state is State.WARN


def test_a_failure_is_not_said_to_have_cost_the_agent_its_rules(finding):
    HookFailure.objects.create(event="user-prompt-submit", error="SettingIgnored", message="m", at=NOW, note_id="1")

    assert finding("failures").remedy.startswith("None of it stopped the agent")
