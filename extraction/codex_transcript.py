"""A line of Codex's transcript > the same in the form of Claude Code's, so that one reader does for both.

A person's prompt is a completed UserMessage; response items of role user also hold what the client adds by itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ROLES = {"UserMessage": "user", "AgentMessage": "assistant"}
CALLS = ("function_call", "custom_tool_call")
RESULTS = ("function_call_output", "custom_tool_call_output")
NOTHING: Mapping[str, object] = {}


def claudes_form(entry: Mapping[str, object]) -> Mapping[str, object]:
    """Empty for what is neither said nor done by one of the two sides."""
    payload = entry.get("payload")
    if not isinstance(payload, dict):
        return NOTHING
    kind = payload.get("type")
    if entry.get("type") == "event_msg" and kind == "item_completed":
        return _message(payload.get("item"))
    if entry.get("type") != "response_item":
        return NOTHING
    if kind in CALLS:
        return {
            "type": "tool_use",
            "name": payload.get("name"),
            "input": payload.get("arguments", payload.get("input")),
        }
    if kind in RESULTS:
        return {"type": "tool_result", "content": payload.get("output")}
    return NOTHING


def _message(item: object) -> Mapping[str, object]:
    if not isinstance(item, dict) or item.get("type") not in ROLES:
        return NOTHING
    content = item.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [{"type": "text", "text": block.get("text")} for block in blocks if _is_text(block)]
    return {"type": ROLES[item["type"]], "message": {"content": texts}}


def _is_text(block: object) -> bool:
    return isinstance(block, dict) and str(block.get("type")).lower() == "text"
