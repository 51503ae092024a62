"""One embed server for a data folder: a lock of the operating system that its process holds for life.

The lock is what counts, not a number in a file: the system frees it when the process ends, however it ends. A process is
ended from outside only while the lock is held and when it is what the address says.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from retrieval.lexical.embed_client import ServerMissing, read_address
from rules.disk import PRIVATE_FILE, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.disk import DataFolder

SERVING = ("embed", "serve")  # the last words of a server's command line
LOOK_SECONDS = 1.0  # somebody who only looks whether a server is there holds the lock for a moment
POLL_SECONDS = 0.02
PS = "/bin/ps"


class ServerRunning(Exception):
    """Another embed server holds this data folder."""


@contextmanager
def server_lock(folder: DataFolder, *, patience_seconds: float = LOOK_SECONDS) -> Iterator[None]:
    """Raises ServerRunning when another process holds it, OSError when there can be no lock."""
    make_folder(folder.root)
    try:
        with FileLock(folder.embed_lock, timeout=patience_seconds, mode=PRIVATE_FILE):
            yield
    except Timeout as error:
        raise ServerRunning("an embed server runs already") from error


def is_server_there(folder: DataFolder) -> bool:
    """Whether a process holds the lock, whatever state it is in. Raises OSError."""
    if not Path(folder.embed_lock).exists():
        return False
    try:
        with server_lock(folder, patience_seconds=0):
            return False
    except ServerRunning:
        return True


def wait_until_gone(folder: DataFolder, *, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_server_there(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def end_hung_server(folder: DataFolder) -> bool:
    """Ends the process that holds the lock and does not answer; False when it is not known for certain which one it is.

    Its number may belong to another process by now: so its command line must be a server's, and the lock held after that
    was looked at.
    """
    pid = _pid(folder)
    if pid <= 0 or pid == os.getpid():
        return False
    with _handle(pid) as end:
        if not _is_server(pid) or not is_server_there(folder):
            return False
        end()
    return True


def _pid(folder: DataFolder) -> int:
    try:
        pid = read_address(folder).get("pid")
    except ServerMissing:
        return 0
    return pid if isinstance(pid, int) else 0


class _Handle:
    """Ends one process: on Linux the very one it was made for, even if its number is used again."""

    def __init__(self, pid: int, descriptor: int | None) -> None:
        self._pid = pid
        self._descriptor = descriptor

    def __call__(self) -> None:
        with suppress(ProcessLookupError):
            if self._descriptor is None:
                os.kill(self._pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            else:
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)


@contextmanager
def _handle(pid: int) -> Iterator[_Handle]:
    descriptor = None
    with suppress(AttributeError, OSError):  # not on this system, or no such process
        descriptor = os.pidfd_open(pid)
    try:
        yield _Handle(pid, descriptor)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _is_server(pid: int) -> bool:
    if os.name == "nt":
        return True  # nothing tells; the lock has to do
    return _command_line(pid)[-len(SERVING) :] == list(SERVING)


def _command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    except OSError:
        pass
    with suppress(OSError, subprocess.SubprocessError):
        shown = subprocess.run(
            [PS, "-o", "command=", "-p", str(pid)], capture_output=True, text=True, timeout=5, check=True
        )
        return shown.stdout.split()
    return []
