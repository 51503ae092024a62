"""Starts `manage.py settle`, `extract` or `embed serve` as a process of its own, detached: it outlives the hook and holds
none of its pipes.

Nothing is waited for, save a short question to a bare interpreter. NOKORI_NO_SPAWN=1 switches the detached ones off.
"""

from __future__ import annotations

import os
import sys

from rules.disk import PRIVATE_FILE, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rules.disk import DataFolder

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IN_PACKAGE = os.path.join(ROOT, "nokori_site", "manage.py")  # where an installed copy has it; a checkout has it on top
MANAGE = IN_PACKAGE if os.path.exists(IN_PACKAGE) else os.path.join(ROOT, "manage.py")

# Of CreateProcess; subprocess names them on Windows only.
DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW = 0x8, 0x200, 0x0800_0000


def spawn_settle(*, python: str = "", manage: str = "") -> None:
    """Empty names mean this interpreter and this program. Raises OSError when the system refuses."""
    _spawn([python or sys.executable, "-I", manage or MANAGE, "settle"], output=os.devnull)


def spawn_extract(folder: DataFolder, *, is_automatic: bool = True) -> bool:
    """What the extractor prints goes to logs/async-extract.log; False where starting is switched off.

    One that a person asked for (not is_automatic) also takes jobs that failed a moment ago. Raises OSError.
    """
    make_folder(folder.logs)
    output = os.path.join(folder.logs, "async-extract.log")
    return _spawn([sys.executable, "-I", MANAGE, "extract", *(["--auto"] if is_automatic else [])], output=output)


def spawn_embed_server(folder: DataFolder) -> bool:
    """What a library prints goes to logs/embed-server.log. Raises OSError when the system refuses."""
    make_folder(folder.logs)
    output = os.path.join(folder.logs, "embed-server.log")
    return _spawn([sys.executable, "-I", MANAGE, "embed", "serve"], output=output)


def answer_of(program: str, question: bytes, *, seconds: float) -> bytes | None:
    """What a Python program prints when it is given that on stdin; None when it fails or is not done in time."""
    import subprocess

    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", program],
            input=question,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            creationflags=CREATE_NO_WINDOW if os.name == "nt" else 0,
        )
    except (subprocess.TimeoutExpired, OSError):
        return None
    return done.stdout if done.returncode == 0 else None


def _spawn(command: list[str], *, output: str) -> bool:
    if os.environ.get("NOKORI_NO_SPAWN") == "1" or os.environ.get("NOKORI_EXTRACTING", "0") not in ("", "0"):
        return False
    start = _start_on_windows if os.name == "nt" else _start_on_posix
    start(command, output)
    return True


def _start_on_posix(command: list[str], output: str) -> None:
    silence = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    silence += [(os.POSIX_SPAWN_OPEN, number, output, flags, PRIVATE_FILE) for number in (1, 2)]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=silence, setsid=True)
    except NotImplementedError:  # settle calls os.setsid() itself there
        os.posix_spawn(command[0], command, os.environ, file_actions=silence)


def _start_on_windows(command: list[str], output: str) -> None:
    import subprocess

    with open(output, "ab") as file:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            cwd=os.path.dirname(command[2]),
            creationflags=DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
        )
