import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from django.db import connection

from nokori_site.database import DatabaseRefused, claim_file, prepare_database, schema_stamp
from nokori_site.pragmas import PragmaNotInForce, check_pragmas
from rules.disk import is_ours, read_header
from tests.conftest import MANAGE

pytestmark = pytest.mark.django_db


@pytest.fixture
def database_file(data_folder) -> Path:
    path = Path(data_folder.database)
    path.parent.mkdir(parents=True)
    return path


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}


def make_foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as foreign:
        foreign.execute("PRAGMA journal_mode=WAL")
        foreign.execute("CREATE TABLE rules (id)")


def test_a_new_database_carries_our_mark_in_its_header(database_file):
    claim_file(database_file)

    assert is_ours(read_header(str(database_file)))


def test_at_no_moment_of_its_making_is_a_new_database_anything_but_empty_or_ours(database_file, monkeypatch):
    headers = []

    class Watched(sqlite3.Connection):
        def execute(self, *arguments):
            cursor = super().execute(*arguments)
            headers.append(read_header(str(database_file)))
            return cursor

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))

    claim_file(database_file)

    assert [header for header in headers if header and not is_ours(header)] == []
    assert is_ours(headers[-1])


def test_a_new_database_gives_free_pages_back_step_by_step(database_file):
    claim_file(database_file)

    with closing(sqlite3.connect(database_file)) as file:
        assert file.execute("PRAGMA auto_vacuum").fetchone() == (2,)


def test_a_new_database_can_be_read_by_its_owner_alone(database_file):
    claim_file(database_file)

    assert stat.S_IMODE(database_file.stat().st_mode) == 0o600


def test_an_empty_file_becomes_ours(database_file):
    database_file.touch()

    claim_file(database_file)

    assert is_ours(read_header(str(database_file)))


def test_claiming_ours_again_changes_nothing(database_file):
    claim_file(database_file)
    before = snapshot(database_file.parent)

    claim_file(database_file)

    assert snapshot(database_file.parent) == before


def test_the_database_of_another_program_is_refused_with_both_ways_out_and_left_as_it_is(database_file):
    make_foreign_database(database_file)
    before = snapshot(database_file.parent)

    with pytest.raises(DatabaseRefused, match=r"NOKORI_DATA_DIR.*`import`"):
        claim_file(database_file)

    assert snapshot(database_file.parent) == before


def test_a_file_that_is_no_database_at_all_is_refused_and_left_as_it_is(database_file):
    database_file.write_text("my notes")

    with pytest.raises(DatabaseRefused):
        claim_file(database_file)

    assert database_file.read_text() == "my notes"


def test_no_verb_touches_the_folder_of_a_foreign_database(database_file, run_manage):
    make_foreign_database(database_file)
    before = snapshot(database_file.parent)

    result = run_manage("migrate")

    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert snapshot(database_file.parent) == before


def test_preparing_writes_the_stamp_of_the_schema():
    prepare_database()

    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA user_version").fetchone() == (schema_stamp(),)


def test_a_migration_of_a_newer_nokori_is_refused():
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA user_version=1")
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('rules', '0999_later', '2026-11-30')"
        )

    with pytest.raises(DatabaseRefused, match=r"rules\.0999_later"):
        prepare_database()


def test_nb069_nb070_nb071_nb078_every_connection_has_the_pragmas_it_asked_for():
    with connection.cursor() as cursor:
        answers = [
            cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("busy_timeout", "synchronous", "foreign_keys")
        ]

    assert answers == [20_000, 1, 1]
    assert connection.settings_dict["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


@pytest.fixture
def _lost_busy_timeout():
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout=0")
        yield
        cursor.execute("PRAGMA busy_timeout=20000")


@pytest.mark.usefixtures("_lost_busy_timeout")
def test_nb071_a_pragma_that_was_lost_is_an_error():
    with pytest.raises(PragmaNotInForce, match="busy_timeout is 0, not 20000"):
        check_pragmas(None, connection)


def test_other_processes_leave_the_log_of_a_process_that_settles_again_and_again(run_manage, data_folder):
    program = f"""
import sys; sys.path.insert(0, {str(MANAGE.parent)!r})
import os; os.environ["DJANGO_SETTINGS_MODULE"] = "nokori_site.settings"
import django; django.setup()
from nokori_site.database import prepare_database
from rules.models import Rule
prepare_database()
Rule.objects.count()
prepare_database()
print("open", flush=True)
sys.stdin.readline()
Rule.objects.count()
"""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdin
        other.stdout.readline()
        run_manage("add", "--trigger", "Force pushing", "--action", "Use --force-with-lease")
        has_log = Path(f"{data_folder.database}-shm").exists()
        other.stdin.write("\n")

    assert (has_log, other.returncode) == (True, 0)
