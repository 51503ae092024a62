"""Starts `manage.py settle` as a process of its own, detached: it outlives the hook and holds none of its pipes.

Nothing is waited for. NOKORI_NO_SPAWN=1 switches it off.
"""

from __future__ import annotations

import os
import sys

MANAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "manage.py")

DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP = 0x8, 0x200  # of CreateProcess; subprocess names them on Windows only


def spawn_settle(*, python: str = "", manage: str = "") -> None:
    """Empty names mean this interpreter and this program. Raises OSError when the system refuses."""
    if os.environ.get("NOKORI_NO_SPAWN") == "1":
        return
    command = [python or sys.executable, "-I", manage or MANAGE, "settle"]
    start = _start_on_windows if os.name == "nt" else _start_on_posix
    start(command)


def _start_on_posix(command: list[str]) -> None:
    silence = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=silence, setsid=True)
    except NotImplementedError:  # settle calls os.setsid() itself there
        os.posix_spawn(command[0], command, os.environ, file_actions=silence)


def _start_on_windows(command: list[str]) -> None:
    import subprocess

    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.path.dirname(command[2]),
        creationflags=DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
    )
