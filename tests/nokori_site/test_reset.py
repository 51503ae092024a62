import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from nokori_site.reset import KEPT, OURS
from rules.disk import DataFolder
from tests.conftest import MANAGE


def shows_rules(run_manage):
    return "When it rains" in run_manage("list").stdout


@pytest.fixture
def filled(run_manage, data_folder):
    run_manage("add", "--trigger", "When it rains", "--action", "Take a coat")
    Path(data_folder.root, "mine.txt").write_text("not Nokori's")
    return data_folder


def answer(folder, text):
    """Runs `reset` on a terminal, where somebody types that."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-I", MANAGE, "reset"], stdin=theirs, stdout=subprocess.PIPE)
    os.write(ours, f"{text}\n".encode())
    process.communicate(timeout=60)
    return process.returncode


def test_everything_goes_to_a_backup_from_which_it_can_come_back(filled, run_manage):
    told = run_manage("reset", "--force")

    assert not shows_rules(run_manage)
    backup = Path(told.stdout.split()[-1])
    assert backup.parent == Path(filled.root, "backups")
    Path(filled.database).unlink()
    (backup / "rules.db").rename(filled.database)
    assert shows_rules(run_manage)


def test_without_a_backup_it_is_gone_for_good(filled, run_manage):
    told = run_manage("reset", "--force", "--no-backup")

    assert told.stdout == "reset; there is no backup\n"
    assert not Path(filled.root, "backups").exists()
    assert not shows_rules(run_manage)


def test_what_somebody_else_put_there_stays(filled, run_manage):
    run_manage("reset", "--force", "--no-backup")

    left = {path.name for path in Path(filled.root).iterdir() if path.suffix != ".lock"}
    assert left == {"mine.txt"}


def test_without_a_terminal_it_needs_force(filled, run_manage):
    told = run_manage("reset")

    assert (told.returncode, told.stdout) == (1, "")
    assert "--force" in told.stderr
    assert shows_rules(run_manage)


@pytest.mark.parametrize(("text", "exit_code", "is_kept"), [("yes", 0, False), ("y", 1, True), ("", 1, True)])
def test_on_a_terminal_it_asks(filled, run_manage, text, exit_code, is_kept):
    assert answer(filled, text) == exit_code
    assert shows_rules(run_manage) is is_kept


def test_another_programs_folder_is_refused_and_stays_as_it_is(run_manage, data_folder):
    Path(data_folder.root).mkdir()
    Path(data_folder.database).write_bytes(b"SQLite format 3\0" + bytes(200))

    told = run_manage("reset", "--force")

    assert told.returncode == 1
    assert "another program" in told.stderr
    assert [path.name for path in Path(data_folder.root).iterdir()] == ["rules.db"]


def test_a_database_that_cannot_be_opened_any_more_can_be_reset(filled, run_manage):
    Path(filled.database).write_bytes(b"not a database")

    assert run_manage("reset", "--force").returncode == 0
    assert run_manage("list").stdout == "(no rules)\n"


def test_beside_another_process_nothing_happens(filled, run_manage):
    with FileLock(filled.settle_lock):
        told = run_manage("reset", "--force")

    assert told.returncode == 1
    assert "Another process is at work (settle)" in told.stderr
    assert shows_rules(run_manage)


def test_a_folder_that_is_not_there_is_reset_already(run_manage, data_folder):
    assert run_manage("reset", "--force").returncode == 0
    assert not Path(data_folder.root).exists()


@pytest.mark.parametrize("name", [name for name, value in vars(DataFolder).items() if isinstance(value, property)])
def test_every_place_in_the_data_folder_is_known(name):
    place = getattr(DataFolder(""), name)

    assert Path(place).parts[0] in OURS + KEPT or place.endswith(".lock")
