"""`logs`: the lines of all log files in the order of time, by level, and the new ones as they come."""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from nokori_site.log_reading import follow, last_lines
from tests.conftest import MANAGE


@pytest.fixture
def log(data_folder):
    """log("hook", "10:00:01", "INFO", "text") appends one line to a log file."""

    def write(name, time, level, text):
        path = Path(data_folder.logs, name if "." in name else f"{name}.log")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"2026-11-30T{time}Z {level} {name} {text}\n")
        return path

    return write


def followed(folder, *steps, level="debug"):
    """What follow() gave while these steps were taken one after the other between its looks."""
    remaining = iter(steps)

    def wait():
        step = next(remaining, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    seen = []
    with suppress(KeyboardInterrupt):
        for line in follow(folder, level=level, wait=wait):
            seen.append(line)  # noqa: PERF402  it ends by raising
    return words(seen)


def words(lines):
    return [line.rsplit(" ", 1)[-1] for line in lines]


def test_lines_of_all_files_come_in_the_order_of_time(log, data_folder):
    log("settle", "10:00:02", "INFO", "second")
    log("hook", "10:00:01", "INFO", "first")
    log("hook", "10:00:03", "INFO", "third")
    log("hook.log.1", "09:00:00", "INFO", "rotated")

    assert words(last_lines(data_folder, level="debug", count=9)) == ["rotated", "first", "second", "third"]


def test_only_the_newest_are_shown(log, data_folder):
    for number in range(5):
        log("hook", f"10:00:0{number}", "INFO", f"n{number}")

    assert words(last_lines(data_folder, level="debug", count=2)) == ["n3", "n4"]
    assert last_lines(data_folder, level="debug", count=0) == []


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("debug", ["d", "i", "w", "e"]),
        ("info", ["i", "w", "e"]),
        ("warn", ["w", "e"]),
        ("warning", ["w", "e"]),
        ("error", ["e"]),
    ],
)
def test_a_level_takes_those_above_it_along(log, data_folder, level, shown):
    for second, name in enumerate(["DEBUG", "INFO", "WARNING", "ERROR"]):
        log("hook", f"10:00:0{second}", name, name[0].lower())

    assert words(last_lines(data_folder, level=level, count=9)) == shown


def test_a_line_without_a_time_stays_with_the_one_before(log, data_folder):
    path = log("settle", "10:00:01", "ERROR", "it broke")
    path.write_text(path.read_text() + "Traceback\n")
    log("settle", "10:00:02", "INFO", "fine")
    log("hook", "10:00:03", "INFO", "later")

    assert words(last_lines(data_folder, level="error", count=9)) == ["broke", "Traceback"]


def test_what_a_terminal_would_obey_is_not_printed(log, data_folder):
    log("hook", "10:00:01", "INFO", "\x1b[2Jgone")

    (line,) = last_lines(data_folder, level="debug", count=1)
    assert "\x1b" not in line


def test_without_logs_there_is_nothing_to_show(data_folder):
    assert last_lines(data_folder, level="debug", count=9) == []


def test_new_lines_are_followed_in_files_old_and_new(log, data_folder):
    log("hook", "10:00:00", "INFO", "before")

    seen = followed(
        data_folder,
        lambda: log("hook", "10:00:01", "INFO", "one"),
        lambda: log("settle", "10:00:02", "INFO", "two"),
        lambda: None,
    )

    assert seen == ["one", "two"]


def test_a_file_that_was_rotated_is_followed_from_its_start(log, data_folder):
    path = log("hook", "10:00:00", "INFO", "before" * 20)

    def rotate():
        path.rename(path.with_name("hook.log.1"))
        log("hook", "10:00:01", "INFO", "after")

    assert followed(data_folder, rotate, lambda: log("hook", "10:00:02", "INFO", "more")) == ["after", "more"]


def test_half_a_line_waits_for_its_end(log, data_folder):
    path = log("hook", "10:00:00", "INFO", "before")

    def write(text):
        with path.open("a") as file:
            file.write(text)

    steps = (lambda: write("2026-11-30T10:00:01Z INFO hook ha"), lambda: write("lf\n"))
    assert followed(data_folder, *steps) == ["half"]


def test_only_the_wanted_level_is_followed(log, data_folder):
    steps = (lambda: log("hook", "10:00:01", "INFO", "quiet"), lambda: log("hook", "10:00:02", "ERROR", "loud"))

    assert followed(data_folder, *steps, level="error") == ["loud"]


def test_the_verb_shows_lines_and_needs_no_database(log, run_manage, data_folder):
    log("hook", "10:00:01", "INFO", "seen")

    result = run_manage("logs", "--level", "info", "--lines", "5")

    assert (result.returncode, words(result.stdout.splitlines())) == (0, ["seen"])
    assert not Path(data_folder.database).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is a signal")
def test_ctrl_c_ends_following_without_a_traceback(log):
    log("hook", "10:00:01", "INFO", "seen")
    process = subprocess.Popen(
        [sys.executable, str(MANAGE), "logs", "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    process.stdout.readline()

    process.send_signal(signal.SIGINT)

    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"")
