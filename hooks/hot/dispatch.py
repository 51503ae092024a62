"""Payload bytes of one event > bytes for the host, by way of the handler; faults that were tolerated are noted.

Session end and a silent pre-tool-use never come here: see client.py.
"""

from __future__ import annotations

import os
import time

from hooks.hot.call import Call
from hooks.hot.deadline import forget_misses, is_pausing
from hooks.hot.events import CURSOR, PASS, Reply
from hooks.hot.hosts.contract import can_tell_agent, parse, render
from hooks.hot.markers import has_marker
from hooks.hot.published import config_edited_at, load_published, make_stemmer_importable
from hooks.hot.spool import failure_note, leave_note
from hooks.hot.stamps import add_stamp, seconds_since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.events import HookEvent
    from rules.disk import DataFolder


TOOL_EVENTS = ("pre-tool-use", "post-tool-use")
TOLD_SETTING = "setting-told"
PAUSE_BETWEEN_TELLING = 60.0  # seconds
CHATTY_LEVELS = ("debug", "info")  # at which every call is a line of the log


class PayloadOdd(ValueError):
    """The host sent a field in a form that no version of its contract has."""


def answer(event: HookEvent, *, folder: DataFolder, started: float) -> bytes:
    """Raises whatever the handler could not go on from."""
    published = load_published(folder, environ=os.environ)
    if published.settings.is_disabled:
        return b""
    now = time.time()
    is_cheap = is_pausing(event.event, folder, now=now)
    call = Call(event, folder=folder, published=published, now=now, started=started, is_cheap=is_cheap)
    reply = _handle(call)
    output = render(event, reply)
    if not is_cheap:
        forget_misses(event.event, folder)
    _conclude(call)
    return output


def _handle(call: Call) -> Reply:
    if call.event.event == "user-prompt-submit":
        make_stemmer_importable(call.published.stemmer_folder)
        from hooks.hot.handlers.prompt import on_prompt

        return _held_back(call, on_prompt(call))
    if call.event.event == "session-start":
        from hooks.hot.handlers.session_start import on_session_start

        return on_session_start(call)
    if call.event.host == CURSOR and call.event.event in TOOL_EVENTS:
        from hooks.hot.handlers.unseen_prompt import on_unseen_prompt

        on_unseen_prompt(call)
    if call.event.event == "pre-tool-use" and has_marker(call.folder, call.event.session_id):
        from hooks.hot.handlers.tool import on_tool

        return on_tool(call)
    if call.event.event == "post-tool-use" and call.event.host == CURSOR:
        from hooks.hot.pending import take_pending

        return Reply(context=take_pending(call.folder, call.event))
    return PASS


def _held_back(call: Call, reply: Reply) -> Reply:
    """A prompt's text waits for the next tool result where the host takes none at the prompt."""
    if not can_tell_agent(call.event):
        from hooks.hot.pending import hold

        with call.tolerating(OSError):
            hold(call.folder, call.event, reply.context)
    return reply


def _conclude(call: Call) -> None:
    """Notes and logs what went wrong; under NOKORI_STRICT the first of it is raised instead."""
    problems = [*call.failures, *_odd_input(call)]
    if problems and call.published.settings.is_strict:
        raise problems[0]
    for problem in problems:
        note_problem(call.event.event, problem, folder=call.folder, now=call.now, session_id=call.event.session_id)
    if call.published.is_stale:
        call.settle_if_not_asked(since=config_edited_at(call.folder))
    elif call.published.is_missing:
        call.settle_if_not_asked()
    _log(call)


def note_problem(event: str, problem: Exception, *, folder: DataFolder, now: float, session_id: str = "-") -> None:
    """For `health` and the log; a disk that takes neither is passed over."""
    from hooks.hot.log import log_failure

    log_failure(folder, session_id=session_id, event=event, problem=problem, now=now)
    try:
        leave_note(folder, failure_note(event, problem, now=now, session_id=session_id))
    except OSError:
        return


def log_session_end(raw: bytes, *, folder: DataFolder, started: float) -> None:
    """Only when calls are logged is a session's end parsed. Raises PayloadUnreadable."""
    event = parse("session-end", raw)
    published = load_published(folder, environ=os.environ)
    _log(Call(event, folder=folder, published=published, now=time.time(), started=started))


def _odd_input(call: Call) -> list[Exception]:
    """Settings and fields that had to be ignored; a bad setting is told once a minute, for it is there at every call."""
    problems: list[Exception] = []
    if call.event.oddities:
        problems.append(PayloadOdd("ignored fields: " + ", ".join(call.event.oddities)))
    if call.published.problems and seconds_since(call.folder, TOLD_SETTING, now=call.now) >= PAUSE_BETWEEN_TELLING:
        add_stamp(call.folder, TOLD_SETTING)
        problems.extend(call.published.problems)
    return problems


def _log(call: Call) -> None:
    if call.published.settings.log_level not in CHATTY_LEVELS:
        return
    from hooks.hot.log import log_call

    facts = {"event": call.event.event, "project": call.project_id, **call.told, "ms": f"{call.milliseconds():.1f}"}
    log_call(call.folder, session_id=call.event.session_id, facts=facts, now=call.now)
