"""Filing as real processes do it: killed at any point, beside other writers, with the database locked."""

import json
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings

from tests.hooks.spooled import note, spool

MANAGE = str(settings.BASE_DIR / "manage.py")


@pytest.fixture
def taught(run_manage):
    """A data folder with one rule; gives its ids."""
    done = run_manage("add", "--trigger", "Force pushing to a shared branch", "--action", "Use a lease", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def query(data_folder):
    def query(sql):
        with closing(sqlite3.connect(data_folder.database)) as connection:
            return connection.execute(sql).fetchall()

    return query


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-I", MANAGE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run_hook(event, **payload):
    return subprocess.run(
        [sys.executable, "-I", "-S", MANAGE, "hook", event],
        input=json.dumps(payload).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_a_settle_that_is_killed_again_and_again_neither_loses_nor_doubles_a_note(
    data_folder, run_manage, taught, query
):
    for number in range(900):
        spool(data_folder, note("gate", session_id=f"s{number % 7}"))
    for delay in (0.5, 0.6, 0.7, 0.8):
        process = start("settle")
        time.sleep(delay)
        process.kill()
        process.communicate()

    run_manage("settle")

    assert query("SELECT count(*), count(DISTINCT note_id) FROM hooks_gatedecision") == [(900, 900)]
    assert query("SELECT sum(calls) FROM hooks_hookcall WHERE host = 'claude'") == [(900,)]
    assert query("SELECT count(*) FROM hooks_hookfailure") == [(0,)]
    assert list(Path(data_folder.spool_new).iterdir()) == []


def test_nb073_sixteen_hooks_at_once_all_answer_or_say_that_they_were_late(run_manage, taught, query, tmp_path):
    def prompt(number):
        return run_hook(
            "user-prompt-submit", session_id=f"s{number}", cwd=str(tmp_path), prompt="force pushing to a shared branch"
        )

    with ThreadPoolExecutor(16) as pool:
        calls = list(pool.map(prompt, range(16)))
    run_manage("settle")

    answered = {(f"s{number}",) for number, call in enumerate(calls) if b"additionalContext" in call.stdout}
    failures = query("SELECT error FROM hooks_hookfailure")
    assert [call.returncode for call in calls] == [0] * 16
    assert answered <= set(query("SELECT session_id FROM rules_injection"))
    assert failures == [("DeadlineMissed",)] * (16 - len(answered))  # on a machine that is busy with other things


def test_nb069_a_write_lock_held_while_a_hook_runs_and_is_filed_delays_the_row_and_loses_nothing(
    data_folder, run_manage, taught, query, tmp_path
):
    with closing(sqlite3.connect(data_folder.database, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = run_hook(
            "user-prompt-submit", session_id="s", cwd=str(tmp_path), prompt="force pushing, shared branch"
        )
        threading.Timer(2.5, other.execute, ["ROLLBACK"]).start()
        done = run_manage("settle")

    assert b"additionalContext" in answer.stdout
    assert done.returncode == 0, done.stderr
    assert query("SELECT session_id FROM rules_injection") == [("s",)]


def test_nb078_edits_while_notes_are_filed_all_succeed(data_folder, run_manage, taught, query):
    for _ in range(100):
        spool(data_folder, note("prompt", shown=[{"rule_id": taught["id"], "level": "hot", "full": True}]))

    writers = [start("edit", taught["short_id"], "--rationale", f"reason {number}") for number in range(4)]
    writers += [start("settle"), start("status")]
    ended = [(process.communicate()[1], process.returncode) for process in writers]

    assert ended == [("", 0)] * 6
    run_manage("settle")
    assert query("SELECT count(*) FROM rules_injection") == [(100,)]
    assert query("SELECT hit_count FROM rules_rule") == [(100,)]
