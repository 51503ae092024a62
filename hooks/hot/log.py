"""One line per hook call > logs/hook.log, in one write, so that lines of several processes never mix.

`2026-11-30T10:00:00Z INFO hook [session] [diag] event=... hits=... ms=...`; never a word of a prompt.
"""

from __future__ import annotations

import os
import time

from rules.disk import PRIVATE_FILE, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.disk import DataFolder

MAX_VALUE = 120  # characters of one value
MAX_MESSAGE = 300


def log_call(folder: DataFolder, *, session_id: str, facts: Mapping[str, object], now: float) -> None:
    told = " ".join(f"{name}={_word(value)}" for name, value in facts.items())
    _append(folder, level="info", session_id=session_id, text=f"[diag] {told}", now=now)


def log_failure(folder: DataFolder, *, session_id: str, event: str, problem: Exception, now: float) -> None:
    text = f"event={_word(event)} {type(problem).__name__}: {_printable(str(problem))[:MAX_MESSAGE]}"
    _append(folder, level="error", session_id=session_id, text=text, now=now)


def _append(folder: DataFolder, *, level: str, session_id: str, text: str, now: float) -> None:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    line = f"{moment} {level.upper()} hook [{_word(session_id)}] {text}\n"
    path = os.path.join(folder.logs, "hook.log")
    try:
        make_folder(folder.logs)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
    except OSError:
        return  # a log is never worth a failed answer
    try:
        os.write(descriptor, line.encode("ascii", "backslashreplace"))
    except OSError:
        return
    finally:
        os.close(descriptor)


def _word(value: object) -> str:
    return "_".join(_printable(str(value)).split())[:MAX_VALUE] or "-"


def _printable(text: str) -> str:
    """On one line, and harmless to a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)
