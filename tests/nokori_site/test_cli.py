import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, get_commands
from django.db import DatabaseError

from nokori_site import cli
from nokori_site.database import OUR_APPS
from nokori_site.version import VERSION


def lines(text: str) -> list[str]:
    return text.splitlines()


@pytest.fixture
def failing_verb(monkeypatch):
    """dispatch() with a verb that fails as told."""

    def dispatch_failing(problem: BaseException) -> int:
        def fail(argv):
            raise problem

        monkeypatch.setattr(cli, "_run", fail)
        return cli.dispatch(["manage.py", "status"])

    return dispatch_failing


@pytest.mark.parametrize("word", ["--version", "version"])
def test_the_version_is_ours_and_opens_nothing(run_manage, data_folder, word):
    result = run_manage(word)

    assert (result.returncode, result.stdout) == (0, f"nokori {VERSION}\n")
    assert not Path(data_folder.root).exists()


@pytest.mark.parametrize("words", [["help"], ["--help"], ["-h"], []], ids=str)
def test_help_lists_our_verbs_alone_each_with_one_line(run_manage, words):
    listed = [line.split()[0] for line in lines(run_manage(*words).stdout) if line.startswith("  ")]

    assert sorted(listed) == sorted(verb for verb, app in get_commands().items() if app in OUR_APPS)


@pytest.mark.parametrize("words", [["help", "--all"], ["--help", "--all"]], ids=str)
def test_help_lists_djangos_verbs_when_asked_for_all(run_manage, words):
    result = run_manage(*words)

    assert {"migrate", "retrieve"} <= {line.strip() for line in lines(result.stdout)}


def test_help_of_one_verb_has_its_options(run_manage):
    assert "--dry-run" in run_manage("help", "install").stdout


def test_a_setting_that_does_not_exist_is_told_and_stops_nothing(run_manage, data_folder):
    Path(data_folder.root).mkdir()
    Path(data_folder.config_toml).write_text("colour = 1\n")

    result = run_manage("list")

    assert (result.returncode, result.stdout) == (0, "(no rules)\n")
    assert result.stderr == "nokori: config.toml: colour is not a setting of Nokori.\n"


def test_a_data_folder_that_cannot_be_made_is_named(run_manage, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NOKORI_DATA_DIR", str(tmp_path / "file" / "nokori"))

    result = run_manage("add", "--trigger", "abc", "--action", "d")

    assert (result.returncode, len(lines(result.stderr))) == (1, 1)
    assert str(tmp_path / "file" / "nokori") in result.stderr


def test_a_disk_that_refuses_names_the_data_folder_and_the_way_out(failing_verb, capsys, data_folder):
    failing_verb(PermissionError(13, "Permission denied", data_folder.database))

    assert capsys.readouterr().err == (
        f"nokori: the data folder {data_folder.root} cannot be used: {data_folder.database}: Permission denied. "
        "Mend that, or set NOKORI_DATA_DIR.\n"
    )


def test_an_unknown_verb_is_a_mistake_of_usage(run_manage):
    result = run_manage("lsit")

    assert result.returncode == 2
    assert "Unknown command: 'lsit'. Did you mean list?" in result.stderr


def test_an_unknown_option_is_a_mistake_of_usage(run_manage):
    assert run_manage("status", "--colour").returncode == 2


def test_the_first_verb_creates_and_migrates_the_database(run_manage, data_folder):
    result = run_manage("status")

    assert (result.returncode, result.stderr) == (0, "")
    assert Path(data_folder.database).exists()


@pytest.mark.parametrize("arguments", [[], ["help"], ["status", "--help"], ["list", "-h"]], ids=" ".join)
def test_help_opens_nothing_and_needs_no_good_setting(run_manage, data_folder, monkeypatch, arguments):
    monkeypatch.setenv("NOKORI_GATE_TTL_SECONDS", "soon")

    result = run_manage(*arguments)

    assert (result.returncode, result.stderr) == (0, "")
    assert not Path(data_folder.root).exists()


def test_a_bad_setting_stops_a_verb_with_one_line(run_manage, monkeypatch):
    monkeypatch.setenv("NOKORI_GATE_TTL_SECONDS", "soon")
    monkeypatch.setenv("NOKORI_LOG_LEVEL", "loud")

    result = run_manage("shell", "-c", "pass")

    assert result.returncode == 1
    assert lines(result.stderr) == [
        "nokori: NOKORI_LOG_LEVEL = 'loud' is not allowed; use debug or info or warn or warning or error. "
        "(and 1 more: see `health`)"
    ]


@pytest.mark.parametrize("verb", ["settle", "status"])
def test_verbs_that_tell_or_mend_what_is_wrong_go_on_with_the_default(run_manage, monkeypatch, verb):
    monkeypatch.setenv("NOKORI_GATE_TTL_SECONDS", "soon")

    assert run_manage(verb).returncode == 0


def test_hooks_can_be_uninstalled_in_spite_of_a_bad_setting(run_manage, monkeypatch):
    monkeypatch.setenv("NOKORI_GATE_TTL_SECONDS", "soon")

    assert run_manage("install", "--uninstall").returncode == 0
    assert run_manage("install", "--dry-run").returncode == 1


def test_installing_publishes_what_the_first_prompt_will_read(run_manage, data_folder):
    run_manage("install")

    assert {path.name for path in Path(data_folder.published).iterdir()} == {"config.json", "rules.idx"}


@pytest.mark.parametrize("option", ["--dry-run", "--uninstall"])
def test_looking_at_the_installation_or_undoing_it_creates_nothing(run_manage, data_folder, option):
    assert run_manage("install", option).returncode == 0
    assert not Path(data_folder.root).exists()


def test_a_damaged_database_of_ours_is_one_line(run_manage, data_folder):
    run_manage("status")
    path = Path(data_folder.database)
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5000)

    result = run_manage("status")

    assert result.returncode == 1
    assert len(lines(result.stderr)) == 1
    assert result.stderr.startswith("nokori: the database cannot be used: ")


def test_a_file_in_the_place_of_the_data_folder_is_one_line(run_manage, data_folder):
    Path(data_folder.root).write_text("")

    result = run_manage("status")

    assert (result.returncode, len(lines(result.stderr))) == (1, 1)
    assert data_folder.root in result.stderr


def test_an_address_that_is_no_database_is_one_line_without_the_password(run_manage, monkeypatch):
    monkeypatch.setenv("NOKORI_DATABASE_URL", "postgers://me:secret@host/name")

    result = run_manage("migrate")

    assert (result.returncode, len(lines(result.stderr))) == (1, 1)
    assert "secret" not in result.stderr


def test_an_argument_that_is_no_text_is_a_mistake_of_usage(run_manage):
    result = run_manage("status", os.fsdecode(b"caf\xe9"))

    assert (result.returncode, len(lines(result.stderr))) == (2, 1)


def test_a_reader_that_went_away_is_no_error(data_folder):
    program = f'"{sys.executable}" -I manage.py help | true'
    root = Path(cli.__file__).parent.parent

    result = subprocess.run(program, shell=True, cwd=root, capture_output=True, text=True, check=False)  # noqa: S602

    assert result.stderr == ""


@pytest.mark.parametrize(
    ("problem", "exit_code", "stderr"),
    [
        (CommandError("No rule has that id."), 1, "nokori: No rule has that id.\n"),
        (CommandError("It is running.", returncode=2), 2, "nokori: It is running.\n"),
        (DatabaseError("locked"), 1, "nokori: the database cannot be used: locked. `health` says more.\n"),
        (PermissionError(13, "Permission denied", "/x"), 1, "nokori: /x: Permission denied.\n"),
        (OSError(9, "Bad file descriptor", 7), 1, "nokori: [Errno 9] Bad file descriptor: 7\n"),
        (OSError("two\nlines"), 1, "nokori: two lines\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=["stated", "own exit code", "database", "file", "descriptor", "always one line", "interrupted"],
)
def test_a_known_problem_is_one_line_and_an_exit_code(failing_verb, capsys, problem, exit_code, stderr):
    assert failing_verb(problem) == exit_code
    assert capsys.readouterr().err == stderr


def test_an_unknown_problem_keeps_its_traceback(failing_verb):
    with pytest.raises(ZeroDivisionError):
        failing_verb(ZeroDivisionError())


def test_two_first_starts_at_once_both_find_a_migrated_database(data_folder):
    command = [sys.executable, "-I", str(Path(cli.__file__).parent.parent / "manage.py"), "status"]

    starts = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]

    assert [(start.communicate(timeout=60)[1], start.returncode) for start in starts] == [(b"", 0)] * 3
