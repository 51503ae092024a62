"""Cursor, also when it runs hooks that it imported from Claude Code: payload > HookEvent, Reply > its flat JSON.

Its prompt hook takes no text for the agent, so a reply to a prompt only says that the prompt goes on (see pending.py).
"""

from __future__ import annotations

import os

from hooks.hot.events import CURSOR, MAX_OUTPUT, NO_SESSION, HookEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooks.hot.events import Reply
    from hooks.hot.hosts.payload import Payload

EVENT_NAMES = {
    "session-start": "sessionStart",
    "user-prompt-submit": "beforeSubmitPrompt",
    "pre-tool-use": "preToolUse",
    "post-tool-use": "postToolUse",
    "session-end": "sessionEnd",
}
OWN_NAMES = frozenset(EVENT_NAMES.values())
TRANSCRIPT_HOME = "/.cursor/"
TOLD_USER = (
    "Nokori paused this tool call once, so that the agent reads a rule from a past correction first. "
    "Sent again, the same call passes."
)


def is_cursors(content: Mapping[str, object]) -> bool:
    """Whether Cursor sent this payload. The environment tells nothing: its terminal hands CURSOR_* to any program."""
    if content.get("cursor_version") or content.get("composer_mode") or content.get("hook_event_name") in OWN_NAMES:
        return True
    path = content.get("transcript_path")
    return isinstance(path, str) and TRANSCRIPT_HOME in path.replace("\\", "/")


def parse(event: str, payload: Payload) -> HookEvent:
    return HookEvent(
        event=event,
        host=CURSOR,
        session_id=(payload.text("session_id") or payload.text("conversation_id")).strip() or NO_SESSION,
        cwd=payload.text("cwd") or workspace_of(payload.content) or os.environ.get("CURSOR_PROJECT_DIR", ""),
        prompt_id=payload.text("generation_id") or payload.text("prompt_id"),
        prompt=payload.text("prompt") if event == "user-prompt-submit" else "",
        tool_name=payload.text("tool_name"),
        tool_input=payload.mapping("tool_input"),
        tool_use_id=payload.text("tool_use_id"),
        transcript_path=payload.text("transcript_path") or os.environ.get("CURSOR_TRANSCRIPT_PATH", ""),
        source=payload.text("source"),
        reason=payload.text("reason"),
        oddities=tuple(payload.oddities),
    )


def workspace_of(content: Mapping[str, object]) -> str:
    """The first folder of the window; "" when it has none. Hooks of a user start in ~/.cursor instead."""
    roots = content.get("workspace_roots")
    return roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""


def takes_context(event: str) -> bool:
    """Whether a reply to this event can put text into the agent's context."""
    return event in ("session-start", "post-tool-use")


def answer(event: str, reply: Reply) -> dict[str, object]:
    """The object to print; {} for a pass."""
    if reply.deny_reason:
        agent_message = reply.deny_reason[: MAX_OUTPUT - len(TOLD_USER)]
        return {"permission": "deny", "agent_message": agent_message, "user_message": TOLD_USER}
    if reply.context and takes_context(event):
        return {"additional_context": reply.context}
    return {"continue": True} if reply.context else {}
