"""Claude Code, and hosts that speak its contract: payload JSON > HookEvent, Reply > the JSON that it honours.

A pass is empty output: "allow" would skip the user's own permission prompt. Only documented keys are written, for
some hosts refuse a reply with any other.
"""

from __future__ import annotations

import json

from extraction.transcript import human_words
from hooks.hot.events import MAX_OUTPUT, NO_SESSION, HookEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.events import Reply

EVENT_NAMES = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-tool-use": "PreToolUse",
    "post-tool-use": "PostToolUse",
    "session-end": "SessionEnd",
}
NULLABLE = ("transcript_path", "agent_id", "tool_use_id", "prompt_id", "turn_id")  # null means absent there


class PayloadUnreadable(ValueError):
    """The host sent no JSON object."""


def parse(event: str, raw: bytes) -> HookEvent:
    """Raises PayloadUnreadable. A field with a value of the wrong kind counts as absent and is named in oddities."""
    payload, is_damaged = _loads(raw)
    fields = _Fields(payload, oddities=["encoding"] if is_damaged else [])
    prompt = fields.text("prompt") if event == "user-prompt-submit" else ""
    tool_input = payload.get("tool_input")
    return HookEvent(
        event=event,
        session_id=fields.text("session_id").strip() or NO_SESSION,
        cwd=fields.text("cwd"),
        prompt_id=fields.text("prompt_id") or fields.text("turn_id"),
        prompt=prompt,
        words=human_words(prompt),
        tool_name=fields.text("tool_name"),
        tool_input=tool_input if isinstance(tool_input, dict) else {},
        tool_use_id=fields.text("tool_use_id"),
        agent_id=fields.text("agent_id"),
        transcript_path=fields.text("transcript_path"),
        source=fields.text("source"),
        reason=fields.text("reason"),
        oddities=tuple(fields.oddities),
    )


def render(event: str, reply: Reply) -> bytes:
    """ASCII only, whatever the code page of the host's pipe; b"" for a pass."""
    if reply.deny_reason:
        answer = {
            "hookEventName": EVENT_NAMES[event],
            "permissionDecision": "deny",
            "permissionDecisionReason": _sound(reply.deny_reason),
        }
    elif reply.context:
        answer = {"hookEventName": EVENT_NAMES[event], "additionalContext": _sound(reply.context)}
    else:
        return b""
    return json.dumps({"hookSpecificOutput": answer}).encode("ascii") + b"\n"


class _Fields:
    """Reads text fields of a payload and remembers which held something else."""

    __slots__ = ("oddities", "payload")

    def __init__(self, payload: dict[str, object], *, oddities: list[str]) -> None:
        self.payload = payload
        self.oddities = oddities

    def text(self, name: str) -> str:
        value = self.payload.get(name, "")
        if isinstance(value, str):
            return value
        if value is not None or name not in NULLABLE:
            self.oddities.append(name)
        return ""


def _loads(raw: bytes) -> tuple[dict[str, object], bool]:
    """The payload, and whether bytes of another encoding had to be replaced in it: its ASCII still works then."""
    is_damaged = False
    try:
        try:
            payload = json.loads(raw)
        except UnicodeDecodeError:
            is_damaged = True
            payload = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise PayloadUnreadable(f"standard input holds no JSON ({len(raw)} bytes)") from error
    if not isinstance(payload, dict):
        raise PayloadUnreadable(f"standard input holds a JSON {type(payload).__name__}, not an object")
    return payload, is_damaged


def _sound(text: str) -> str:
    """Within the host's limit and free of lone surrogates, which strict JSON readers refuse."""
    return text[:MAX_OUTPUT].encode("utf-8", "replace").decode("utf-8")
