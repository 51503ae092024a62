"""A session ends > one note that holds the payload as it came, and the housekeeping pass, started beside it.

Hosts kill this hook after 1.5 seconds, so nothing is parsed, no transcript is read and nothing is waited for: the note
is written as text, with the payload as one JSON string in it, so that a broken payload still makes a sound note.
"""

from __future__ import annotations

import time

from hooks.hot.maildir import deliver, new_note_id
from hooks.hot.spawn import spawn_settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rules.disk import DataFolder

MAX_PAYLOAD = 65_536  # bytes; a real one has a few hundred
ESCAPES = {**{code: f"\\u{code:04x}" for code in range(0x20)}, ord('"'): '\\"', ord("\\"): "\\\\"}


def on_session_end(raw: bytes, *, folder: DataFolder, now: float, started: float) -> None:
    """Raises OSError when the note could not be left; the housekeeping pass is started all the same."""
    note_id = new_note_id(now)
    try:
        deliver(folder, note_id, _note(note_id, raw[:MAX_PAYLOAD], now=now, started=started))
    finally:
        spawn_settle()


def _note(note_id: str, raw: bytes, *, now: float, started: float) -> bytes:
    day = time.strftime("%Y-%m-%d", time.localtime(now))
    milliseconds = (time.perf_counter() - started) * 1000.0
    payload = raw.decode("utf-8", "replace").translate(ESCAPES)
    note = (
        f'{{"v":1,"id":"{note_id}","kind":"session_end","at":{now:.6f},"day":"{day}","event":"session-end",'
        f'"host":"claude","project_id":"","ms":{milliseconds:.2f},"payload":"{payload}"}}'
    )
    return note.encode("utf-8")
