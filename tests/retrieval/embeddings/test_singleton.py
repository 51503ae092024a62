"""One server for a data folder; only a process that is surely a hung one is ever ended."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.embeddings.singleton import (
    ServerRunning,
    end_hung_server,
    is_server_there,
    server_lock,
    wait_until_gone,
)

HOLD = """
import sys, time
from filelock import FileLock
with FileLock(sys.argv[1], mode=0o600):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def hold_lock(data_folder, tmp_path):
    """hold_lock("embed", "serve"): a process with these last words holds the lock, and does nothing else."""
    Path(data_folder.root).mkdir(exist_ok=True)
    script = tmp_path / "holder.py"
    script.write_text(HOLD)
    started = []

    def hold(*words):
        command = [sys.executable, str(script), data_folder.embed_lock, *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def write_pid(folder, pid):
    Path(folder.embed_address).write_text(json.dumps({"unix": folder.embed_socket, "pid": pid}))


def test_nobody_is_there_at_first(data_folder):
    assert not is_server_there(data_folder)
    assert not Path(data_folder.root).exists()


def test_there_is_only_one(data_folder, hold_lock):
    hold_lock()

    assert is_server_there(data_folder)
    with pytest.raises(ServerRunning), server_lock(data_folder, patience_seconds=0):
        pass


def test_the_system_frees_the_lock_of_a_killed_one(data_folder, hold_lock):
    process = hold_lock()

    process.send_signal(signal.SIGKILL)

    assert wait_until_gone(data_folder, seconds=60)


def test_a_hung_server_is_ended(data_folder, hold_lock):
    process = hold_lock("embed", "serve")
    process.send_signal(signal.SIGSTOP)
    write_pid(data_folder, process.pid)

    assert end_hung_server(data_folder)

    assert process.wait(timeout=60) == -signal.SIGKILL


def test_a_process_that_got_the_number_of_a_server_is_left_alone(data_folder, hold_lock):
    hold_lock("embed", "serve")
    stranger = subprocess.Popen(["sleep", "600"])  # noqa: S607
    write_pid(data_folder, stranger.pid)

    assert not end_hung_server(data_folder)

    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_a_server_of_another_folder_with_that_number_is_left_alone(data_folder, hold_lock):
    process = hold_lock("embed", "serve")
    write_pid(data_folder, process.pid)
    Path(data_folder.embed_lock).unlink()

    assert not end_hung_server(data_folder)

    assert process.poll() is None


@pytest.mark.parametrize("pid", [0, -1, "7", None, 2**30], ids=str)
def test_a_number_that_is_none_ends_nothing(data_folder, hold_lock, pid):
    process = hold_lock("embed", "serve")
    write_pid(data_folder, pid)

    assert not end_hung_server(data_folder)

    assert process.poll() is None


def test_without_an_address_nothing_is_ended(data_folder, hold_lock):
    process = hold_lock("embed", "serve")

    assert not end_hung_server(data_folder)

    assert process.poll() is None
