"""A call's own time limit, well below the host's: at the limit the process ends with exit 0 and nothing on stdout.

After three misses in a row an event does only its cheap part for ten minutes.
"""

from __future__ import annotations

import _thread
import os
import time

from hooks.hot.stamps import add_stamp, clear_stamps, count_stamps, seconds_since
from rules.disk import is_foreign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rules.disk import DataFolder

LIMIT_SECONDS = {"user-prompt-submit": 2.0, "pre-tool-use": 1.0, "session-start": 4.0, "session-end": 1.0}
DEFAULT_LIMIT_SECONDS = 1.0
MISSES_IN_A_ROW = 3
PAUSE_SECONDS = 600.0


class Deadline:
    """The clock of one call. Whoever holds the right to answer, the call or its clock, ends the process."""

    __slots__ = ("_answer_right", "_event", "_folder")

    def __init__(self, event: str, folder: DataFolder) -> None:
        self._event = event if event in LIMIT_SECONDS else "unknown"
        self._folder = folder
        self._answer_right = _thread.allocate_lock()
        try:
            _thread.start_new_thread(self._end_at_limit, ())
        except RuntimeError:  # the system has no room for a thread: the host's own limit holds
            return

    def stop(self) -> None:
        """Called before the first byte of output, so that no reply is cut in half; does not return when it is too late."""
        self._answer_right.acquire()

    def _end_at_limit(self) -> None:
        limit = LIMIT_SECONDS.get(self._event, DEFAULT_LIMIT_SECONDS)
        time.sleep(limit)
        if not self._answer_right.acquire(blocking=False):
            return
        try:
            if not is_foreign(self._folder):
                add_stamp(self._folder, _stamp_name(self._event))
                _leave_miss_note(self._event, self._folder, limit=limit)
        finally:
            os._exit(0)


def is_pausing(event: str, folder: DataFolder, *, now: float) -> bool:
    name = _stamp_name(event)
    return count_stamps(folder, name) >= MISSES_IN_A_ROW and seconds_since(folder, name, now=now) < PAUSE_SECONDS


def forget_misses(event: str, folder: DataFolder) -> None:
    clear_stamps(folder, _stamp_name(event))


def _stamp_name(event: str) -> str:
    return f"deadline-{event}"


def _leave_miss_note(event: str, folder: DataFolder, *, limit: float) -> None:
    from hooks.hot.maildir import deliver, new_note_id  # noqa: PLC0415  a silent tool call does without

    now = time.time()
    note_id = new_note_id(now)
    day = time.strftime("%Y-%m-%d", time.localtime(now))
    note = (
        f'{{"v":1,"id":"{note_id}","kind":"failure","at":{now:.6f},"day":"{day}","event":"{event}","host":"",'
        f'"session_id":"","project_id":"","cwd":"","ms":{limit * 1000:.0f},"error":"DeadlineMissed",'
        f'"message":"not done after {limit:g} seconds, so the call passed","deadline":true}}'
    )
    deliver(folder, note_id, note.encode("ascii"))
