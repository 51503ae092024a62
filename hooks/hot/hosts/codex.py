"""Codex: Claude Code's contract under its own name, so that `health` can tell the two apart. Its prompt id is `turn_id`."""

from __future__ import annotations

from hooks.hot.events import CODEX
from hooks.hot.hosts import claude

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooks.hot.events import HookEvent
    from hooks.hot.hosts.payload import Payload

TRANSCRIPT_PREFIX = "rollout-"  # of the file's name, wherever CODEX_HOME lies


def is_codexs(content: Mapping[str, object]) -> bool:
    """Whether Codex sent this payload: only the first and the last event of a session have no `turn_id`."""
    path = content.get("transcript_path")
    name = path.replace("\\", "/").rpartition("/")[2] if isinstance(path, str) else ""
    return "turn_id" in content or name.startswith(TRANSCRIPT_PREFIX)


def parse(event: str, payload: Payload) -> HookEvent:
    parsed = claude.parse(event, payload)
    parsed.host = CODEX
    return parsed
