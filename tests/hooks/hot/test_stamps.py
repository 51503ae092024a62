"""Stamps: how often and when, in files of one byte per call."""

import os
import time
from pathlib import Path

from hooks.hot.stamps import add_stamp, clear_stamps, count_stamps, seconds_since


def test_each_call_adds_one(data_folder):
    for _ in range(3):
        add_stamp(data_folder, "session-end")

    assert count_stamps(data_folder, "session-end") == 3
    assert seconds_since(data_folder, "session-end", now=time.time() + 60) >= 59


def test_what_never_happened_was_never(data_folder):
    assert count_stamps(data_folder, "session-end") == 0
    assert seconds_since(data_folder, "session-end", now=time.time()) == float("inf")


def test_a_time_in_the_future_is_no_time(data_folder):
    add_stamp(data_folder, "session-end")
    path = Path(data_folder.stamps, "session-end")
    os.utime(path, (time.time() + 3600, time.time() + 3600))

    assert seconds_since(data_folder, "session-end", now=time.time()) == float("inf")


def test_cleared_is_never(data_folder):
    add_stamp(data_folder, "session-end")

    clear_stamps(data_folder, "session-end")
    clear_stamps(data_folder, "session-end")

    assert count_stamps(data_folder, "session-end") == 0


def test_a_disk_that_takes_none_is_passed_over(data_folder):
    Path(data_folder.root).mkdir(parents=True)
    Path(data_folder.stamps).write_bytes(b"in the way")

    add_stamp(data_folder, "session-end")
    clear_stamps(data_folder, "session-end")

    assert count_stamps(data_folder, "session-end") == 0


def test_each_silent_tool_call_is_counted(run_hook, data_folder):
    for _ in range(2):
        run_hook("pre-tool-use", tool_name="Bash")

    assert count_stamps(data_folder, "pre-tool-use") == 2
