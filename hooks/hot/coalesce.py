"""Two registrations of one event > one answer: the first to claim the event answers, within a window of seconds.

A claim older than the window is no claim, so the second "continue" of a session gets its rules.
"""

from __future__ import annotations

import os

from rules.disk import PRIVATE_FILE, make_folder, safe_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.events import HookEvent
    from rules.disk import DataFolder

WINDOW_SECONDS = 3.0


def claim(event: HookEvent, *, folder: DataFolder, now: float) -> bool:
    """True for the call that is to answer. An unwritable disk makes every call answer: twice is better than never."""
    if not event.has_session:
        return True
    path = os.path.join(folder.coalesce, _claim_name(event))
    try:
        make_folder(folder.coalesce)
        return _create(path) or (_give_up_stale(path, now=now) and _create(path))
    except OSError:
        return True


def _claim_name(event: HookEvent) -> str:
    occasion = event.prompt_key if event.event == "user-prompt-submit" else event.source or event.tool_use_id
    return ".".join((event.event, safe_name(event.session_id), safe_name(occasion or "once")))


def _create(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    except FileExistsError:
        return False
    return True


def _give_up_stale(path: str, *, now: float) -> bool:
    """Takes an old claim away; of several calls that try, one succeeds."""
    if not _is_stale(path, now=now):
        return False
    taken = f"{path}.{os.getpid():x}"
    try:
        os.rename(path, taken)
    except FileNotFoundError:
        return False
    os.unlink(taken)
    return True


def _is_stale(path: str, *, now: float) -> bool:
    try:
        age = now - os.stat(path).st_mtime
    except FileNotFoundError:
        return False
    return not -1.0 <= age <= WINDOW_SECONDS  # a clock that went backwards makes a claim stale too
