"""Claude Code, and hosts that speak its contract: payload > HookEvent, Reply > the JSON that it honours.

A pass is empty output: "allow" would skip the user's own permission prompt. Only documented keys are written, for
some hosts refuse a reply with any other.
"""

from __future__ import annotations

from hooks.hot.events import CLAUDE, NO_SESSION, HookEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.events import Reply
    from hooks.hot.hosts.payload import Payload

EVENT_NAMES = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-tool-use": "PreToolUse",
    "post-tool-use": "PostToolUse",
    "session-end": "SessionEnd",
}


def parse(event: str, payload: Payload) -> HookEvent:
    return HookEvent(
        event=event,
        host=CLAUDE,
        session_id=payload.text("session_id").strip() or NO_SESSION,
        cwd=payload.text("cwd"),
        prompt_id=payload.text("prompt_id") or payload.text("turn_id"),
        prompt=payload.text("prompt") if event == "user-prompt-submit" else "",
        tool_name=payload.text("tool_name"),
        tool_input=payload.mapping("tool_input"),
        tool_use_id=payload.text("tool_use_id"),
        agent_id=payload.text("agent_id"),
        transcript_path=payload.text("transcript_path"),
        source=payload.text("source"),
        reason=payload.text("reason"),
        oddities=tuple(payload.oddities),
    )


def answer(event: str, reply: Reply) -> dict[str, object]:
    """The object to print; {} for a pass."""
    if reply.deny_reason:
        decision = {"permissionDecision": "deny", "permissionDecisionReason": reply.deny_reason}
    elif reply.context:
        decision = {"additionalContext": reply.context}
    else:
        return {}
    return {"hookSpecificOutput": {"hookEventName": EVENT_NAMES[event], **decision}}
