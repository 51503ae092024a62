"""A session begins, resumes or was compacted > its file, a note, and what the session before it was about.

The housekeeping pass is started beside it.
"""

from __future__ import annotations

from hooks.hot.coalesce import claim
from hooks.hot.events import PASS, Reply
from hooks.hot.hot_cache import hot_cache
from hooks.hot.sessions import save_session, session_of
from hooks.hot.spool import leave_note, note_of
from hooks.hot.stamps import EMBED_BEGUN, add_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.call import Call


def on_session_start(call: Call) -> Reply:
    event = call.event
    if call.published.settings.hook_coalesce and not claim(event, folder=call.folder, now=call.now):
        return PASS
    session = session_of(call)
    if event.source == "compact":
        session.compact(now=call.now)
    with call.tolerating(OSError):
        save_session(call.folder, session, event, now=call.now)
    with call.tolerating(OSError):
        leave_note(
            call.folder,
            note_of(call, "session_start", source=event.source, transcript_path=event.transcript_path),
        )
    if call.published.may_embed:
        add_stamp(call.folder, EMBED_BEGUN)
    call.settle()
    return Reply(context=hot_cache(call))
