"""A tool call about to run: the armed gate's verdict > a deny, or a pass, and a note of which.

Calls inside a sub-agent pass: the deny would reach the sub-agent, not the agent that was given the rule. A call that two
registrations tell of gets the same answer twice and one note.
"""

from __future__ import annotations

from hooks.hot.coalesce import claim
from hooks.hot.events import PASS, Reply
from hooks.hot.gate import judge_call
from hooks.hot.markers import MarkerUnreadable, clear_marker
from hooks.hot.spool import leave_note, note_of
from hooks.hot.tool_pattern import PatternTooSlow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.call import Call
    from hooks.hot.gate import Verdict


def on_tool(call: Call) -> Reply:
    verdict = _verdict(call)
    if verdict is None:
        return PASS
    marker = verdict.marker
    call.told["gate"] = f"{verdict.answer}:{marker.short_id}"
    _leave_gate_note(
        call, answer=verdict.answer, short_id=marker.short_id, rule_id=marker.rule_id, same_tool=verdict.same_tool
    )
    return Reply(deny_reason=marker.reason) if verdict.answer == "deny" else PASS


def _verdict(call: Call) -> Verdict | None:
    """None as well when the gate cannot be read, or a deny could not be written down: it would be given for ever."""
    try:
        return judge_call(call.event, folder=call.folder, settings=call.published.settings, now=call.now)
    except MarkerUnreadable as damage:
        call.failures.append(damage)
        with call.tolerating(OSError):
            clear_marker(call.folder, call.event.session_id)
        _leave_gate_note(call, answer="corrupt", short_id="", rule_id="", same_tool=None)
    except (OSError, PatternTooSlow) as problem:
        call.failures.append(problem)
    return None


def _leave_gate_note(call: Call, **facts: object) -> None:
    event = call.event
    if _is_noted(call):
        return
    with call.tolerating(OSError):
        leave_note(
            call.folder, note_of(call, "gate", tool_name=event.tool_name, tool_use_id=event.tool_use_id, **facts)
        )


def _is_noted(call: Call) -> bool:
    """Whether another registration has this very call already; calls without an id cannot be told from one another."""
    if not call.event.tool_use_id or not call.published.settings.hook_coalesce:
        return False
    return not claim(call.event, folder=call.folder, now=call.now)
