"""Text for the agent that its host does not take at the prompt: it waits in pending/<session>.json for a tool result.

It is handed over once, and only within the turn of its own prompt.
"""

from __future__ import annotations

import os

from rules.disk import safe_name, write_atomic
from rules.plain_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.events import HookEvent
    from rules.disk import DataFolder

DAMAGE = (ValueError, KeyError, TypeError, RecursionError)


def hold(folder: DataFolder, event: HookEvent, text: str) -> None:
    """In the place of what an earlier prompt left. Raises OSError."""
    if text and event.has_session:
        content = {"prompt_id": event.prompt_id, "text": text}
        write_atomic(_path(folder, event.session_id), dumps(content).encode("ascii"))


def take_pending(folder: DataFolder, event: HookEvent) -> str:
    """The text that waits for this event's session, to one caller; "" when there is none for its prompt."""
    path = _path(folder, event.session_id)
    taken = f"{path}.{os.getpid():x}"
    try:
        os.rename(path, taken)
    except FileNotFoundError:
        return ""
    with open(taken, "rb") as file:
        data = file.read()
    os.unlink(taken)
    try:
        content = loads(data)
        return str(content["text"]) if content["prompt_id"] == event.prompt_id else ""
    except DAMAGE:
        return ""


def _path(folder: DataFolder, session_id: str) -> str:
    return os.path.join(folder.pending, safe_name(session_id) + ".json")
