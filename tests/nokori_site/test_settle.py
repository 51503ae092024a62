import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from filelock import FileLock

from extraction.models import TranscriptState
from hooks.models import AgentSession, HookFailure
from nokori_site.settle import settle
from retrieval.lexical.packed import Index
from rules.signals import pool_changed
from tests.factories import make_rule
from tests.hooks.spooled import match, note, spool

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


@pytest.fixture
def settle_now(data_folder):
    return lambda: settle(data_folder, config=settings.NOKORI, clock=lambda: NOW)


def test_a_first_settle_publishes_the_configuration(settle_now, data_folder):
    report = settle_now()

    assert "config" in report.published
    assert json.loads(Path(data_folder.published, "config.json").read_text())["format"] == 1


def test_a_settle_publishes_what_a_killed_command_left_unpublished(settle_now, data_folder):
    rule = make_rule()
    Path(data_folder.published, "rules.idx").unlink(missing_ok=True)

    report = settle_now()

    assert "rules" in report.published
    with Index.open(data_folder.published) as index:
        assert index.document(0).short_id == rule.short_id


def test_a_settle_writes_the_extracted_transcripts_again_when_their_file_is_gone(settle_now, data_folder):
    TranscriptState.objects.create(transcript_path="/t.jsonl", offset=7, extracted_at=NOW)
    settle_now()
    Path(data_folder.published, "transcripts.json").unlink()

    report = settle_now()

    assert "transcripts" in report.published
    assert json.loads(Path(data_folder.published, "transcripts.json").read_text())["offsets"] == {"/t.jsonl": 7}


def test_the_notes_of_hooks_become_rows(settle_now, data_folder):
    spool(data_folder, note("session_start", session_id="s1"))

    report = settle_now()

    assert report.filed == 1
    assert AgentSession.objects.get().session_id == "s1"


@pytest.mark.django_db(transaction=True)
def test_a_note_that_comes_while_settle_works_is_not_left_lying(settle_now, data_folder):
    rule = make_rule()
    spool(data_folder, note("prompt", shown=[match(rule)], dismissed=[match(rule)]))
    come_late = partial(spool, data_folder, note("session_start"))
    pool_changed.connect(lambda **_: come_late(), weak=False, dispatch_uid="late")

    report = settle_now()
    pool_changed.disconnect(dispatch_uid="late")

    assert report.filed == 2
    assert list(Path(data_folder.spool_new).iterdir()) == []


@pytest.mark.parametrize("delay_seconds", [0.2, 0.5, 0.8, 1.1])
def test_a_settle_that_is_killed_loses_nothing_and_counts_nothing_twice(run_manage, data_folder, delay_seconds):
    run_manage("status")
    for number in range(300):
        spool(data_folder, note("session_start", session_id=f"s{number}"))
    killed = subprocess.Popen(
        [sys.executable, "-I", str(settings.BASE_DIR / "manage.py"), "settle"], stdout=subprocess.DEVNULL
    )
    time.sleep(delay_seconds)
    killed.kill()
    killed.wait()

    result = run_manage("settle")

    sessions = json.loads(run_manage("status", "--json").stdout)["sessions"]
    assert (result.returncode, sessions["open"]) == (0, 300)
    assert list(Path(data_folder.spool_new).iterdir()) == []


def test_a_second_settle_finds_nothing_to_do(settle_now):
    settle_now()

    report = settle_now()

    assert (report.filed, report.published, report.scans, report.problems) == (0, [], [], [])


def test_a_settle_beside_another_one_ends_at_once(settle_now, data_folder):
    Path(data_folder.root).mkdir()

    with FileLock(data_folder.settle_lock):
        assert settle_now() is None


def test_the_verb_says_that_another_settle_is_at_work_and_that_is_no_error(run_manage, data_folder):
    Path(data_folder.root).mkdir()

    with FileLock(data_folder.settle_lock):
        result = run_manage("settle")

    assert (result.returncode, result.stdout) == (0, "Another settle is at work.\n")


def test_a_step_that_fails_is_written_down_and_the_others_run(settle_now, data_folder):
    log = Path(data_folder.logs, "hook.log")
    log.parent.mkdir(parents=True)
    log.write_bytes(b"0" * 2_000_000)
    Path(data_folder.published).write_text("a file in the place of a folder")

    report = settle_now()

    assert [problem.step for problem in report.problems] == ["sessions", "rules", "transcripts", "config"]
    assert "ERROR settle config: " in Path(data_folder.logs, "settle.log").read_text()
    assert {failure.event for failure in HookFailure.objects.all()} == {"settle"}
    assert not log.exists()


def test_a_foreign_folder_gets_nothing_not_even_a_lock(run_manage, data_folder):
    Path(data_folder.root).mkdir()
    Path(data_folder.database).write_bytes(b"SQLite format 3\0" + bytes(200))

    result = run_manage("settle")

    assert result.returncode == 1
    assert [path.name for path in Path(data_folder.root).iterdir()] == ["rules.db"]


def test_a_damaged_database_is_written_down_in_the_log(run_manage, data_folder):
    run_manage("status")
    path = Path(data_folder.database)
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5000)

    result = run_manage("settle")

    assert result.returncode == 1
    assert "ERROR settle database: DatabaseError: " in Path(data_folder.logs, "settle.log").read_text()


def test_an_edit_of_the_file_reaches_the_published_configuration(settle_now, data_folder):
    settle_now()
    Path(data_folder.config_toml).write_text("[gate]\nttl_seconds = 5")

    settle_now()

    published = json.loads(Path(data_folder.published, "config.json").read_text())
    assert published["values"]["gate_ttl_seconds"] == 5


def test_a_settle_that_a_hook_started_is_in_a_session_of_its_own(data_folder):
    program = "import os; from nokori_site.management.commands.settle import _leave_the_hosts_session as leave; leave(); print(os.getsid(0) == os.getpid())"
    environment = {"DJANGO_SETTINGS_MODULE": "nokori_site.settings", "NOKORI_DATA_DIR": data_folder.root}
    setup = "import django; django.setup(); "

    result = subprocess.run(
        [sys.executable, "-c", setup + program],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert result.stdout == "True\n"
