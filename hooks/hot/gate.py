"""The gate: a tool call and the armed marker > deny, once, or why the call passes.

Calls of one message are decided together, for none of them was made in knowledge of the deny. Whatever cannot be read
or recorded lets the call pass.
"""

from __future__ import annotations

import os

from hooks.hot.markers import clear_marker, read_marker, read_spent, record_deny, strip_markers
from hooks.hot.tool_pattern import fits_whole, touches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.events import HookEvent
    from hooks.hot.markers import Marker, Spent
    from hooks.hot.published import Settings
    from rules.disk import DataFolder

ANY_TOOL = ("*", ".*")  # matchers that need no regular expression
__all__ = ["Verdict", "judge_call", "matches_tool", "strip_markers"]


class Verdict:
    """What becomes of a call while a gate is armed: "deny", or why it passes. same_tool: None when it says nothing."""

    __slots__ = ("answer", "marker", "same_tool")

    def __init__(self, answer: str, marker: Marker, *, same_tool: bool | None = None) -> None:
        self.answer = answer
        self.marker = marker
        self.same_tool = same_tool


def judge_call(event: HookEvent, *, folder: DataFolder, settings: Settings, now: float) -> Verdict | None:
    """None when no gate is concerned. Raises MarkerUnreadable, PatternTooSlow, or OSError: the call passes then."""
    spent = read_spent(folder, event.session_id)  # first: a second registration of the retry may take both files away
    marker = _marker_for(event, folder=folder, settings=settings)
    if marker is None:
        return None
    void = _why_void(marker, event, ttl_seconds=settings.gate_ttl_seconds, now=now)
    if event.agent_id and void != "expired":
        return Verdict("sub_agent", marker)
    if void:
        clear_marker(folder, event.session_id)
        return Verdict(void, marker)
    if spent is None and not touches(marker.tool_pattern, event.tool_input):
        return None
    if spent is None or _belongs_to_deny(event, spent, window_ms=settings.gate_batch_window_ms, now=now):
        record_deny(folder, event, now=now)
        return Verdict("deny", marker)
    clear_marker(folder, event.session_id)
    return Verdict("passed", marker, same_tool=event.tool_name == spent.tool_name if spent.tool_name else None)


def matches_tool(matcher: str, tool_name: str) -> bool:
    """Python's fullmatch; a literal * stands for any tool, and a broken pattern for none. Raises PatternTooSlow."""
    names = matcher.split("|")
    if all(name.replace("_", "").isalnum() for name in names):
        return tool_name in names
    return matcher in ANY_TOOL or fits_whole(matcher, tool_name)


def _marker_for(event: HookEvent, *, folder: DataFolder, settings: Settings) -> Marker | None:
    """The armed gate that this tool may be blocked by; one of a rule that was retired since is taken away."""
    marker = read_marker(folder, event.session_id)
    if marker is None or not settings.gate_enabled or not matches_tool(settings.gate_matcher, event.tool_name):
        return None
    if os.path.exists(os.path.join(folder.tombstones, marker.short_id)):
        clear_marker(folder, event.session_id)
        return None
    return marker


def _why_void(marker: Marker, event: HookEvent, *, ttl_seconds: int, now: float) -> str:
    """Why an armed gate no longer blocks; "" while it does."""
    if ttl_seconds and now - marker.armed_at > ttl_seconds:
        return "expired"
    if event.prompt_id and marker.prompt_ids and event.prompt_id not in marker.prompt_ids:
        return "mismatch"
    return ""


def _belongs_to_deny(event: HookEvent, spent: Spent, *, window_ms: int, now: float) -> bool:
    """The denied call itself, sent twice by its host, or a call of the same message."""
    elapsed_ms = (now - spent.denied_at) * 1000.0
    return event.tool_use_id in spent.tool_use_ids or 0 <= elapsed_ms <= window_ms
