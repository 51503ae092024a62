"""The two ends of every host's contract: bytes on stdin > HookEvent, Reply > bytes for stdout.

A host is one module with parse() and, where it differs from Claude Code's, answer(); which one sent a payload shows in
the payload itself, because one registration may serve several hosts.
"""

from __future__ import annotations

from hooks.hot.events import CLAUDE, CODEX, CURSOR, MAX_OUTPUT, Reply
from hooks.hot.hosts import claude, codex, cursor
from hooks.hot.hosts.payload import read_payload
from rules.plain_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooks.hot.events import HookEvent

READERS = {CLAUDE: claude.parse, CODEX: codex.parse, CURSOR: cursor.parse}


def parse(event: str, raw: bytes) -> HookEvent:
    """Raises PayloadUnreadable. A field with a value of the wrong kind counts as absent and is named in oddities."""
    payload = read_payload(raw)
    return READERS[host_of(payload.content)](event, payload)


def host_of(content: Mapping[str, object]) -> str:
    """A host that speaks Claude Code's contract and has no sign of its own goes under that name."""
    if cursor.is_cursors(content):
        return CURSOR
    return CODEX if codex.is_codexs(content) else CLAUDE


def render(event: HookEvent, reply: Reply) -> bytes:
    """ASCII only, whatever the code page of the host's pipe; b"" for a pass."""
    write = cursor.answer if event.host == CURSOR else claude.answer
    answer = write(event.event, Reply(context=_sound(reply.context), deny_reason=_sound(reply.deny_reason)))
    return dumps(answer).encode("ascii") + b"\n" if answer else b""


def can_tell_agent(event: HookEvent) -> bool:
    """Whether the text of a reply to this event reaches the agent."""
    return event.host != CURSOR or cursor.takes_context(event.event)


def _sound(text: str) -> str:
    """Within the hosts' limit and free of lone surrogates, which strict JSON readers refuse."""
    return text[:MAX_OUTPUT].encode("utf-8", "replace").decode("utf-8")
