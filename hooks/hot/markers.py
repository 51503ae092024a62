"""The gate's files. gate_markers/<session>.json is the armed marker; <session>.spent beside it says that the deny was
given, one line of JSON for each denied call.
"""

from __future__ import annotations

import os

from rules.disk import PRIVATE_FILE, remove_file, safe_name, write_atomic
from rules.plain_json import dumps, loads, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hooks.hot.events import HookEvent
    from rules.disk import DataFolder

MARKER_VERSION = 1
MARKER, SPENT = ".json", ".spent"
DAMAGE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


class MarkerUnreadable(ValueError):
    """A gate marker is damaged."""


class Marker:
    """An armed gate. `prompt_ids` are the host's ids of the prompt and of machine prompts since; empty: it sends none.

    `reason` is the finished text of the deny.
    """

    __slots__ = ("armed_at", "prompt_ids", "reason", "rule_id", "session_id", "short_id", "tool_pattern")

    def __init__(  # noqa: PLR0913  a plain value
        self,
        *,
        session_id: str,
        prompt_ids: tuple[str, ...],
        armed_at: float,
        rule_id: str,
        short_id: str,
        tool_pattern: str,
        reason: str,
    ) -> None:
        self.session_id = session_id
        self.prompt_ids = prompt_ids
        self.armed_at = armed_at
        self.rule_id = rule_id
        self.short_id = short_id
        self.tool_pattern = tool_pattern
        self.reason = reason


class Spent:
    """That the deny was given: when, to which tool ("" when not known), and the ids of all calls denied with it."""

    __slots__ = ("denied_at", "tool_name", "tool_use_ids")

    def __init__(self, *, denied_at: float, tool_name: str, tool_use_ids: frozenset[str]) -> None:
        self.denied_at = denied_at
        self.tool_name = tool_name
        self.tool_use_ids = tool_use_ids


def has_marker(folder: DataFolder, session_id: str) -> bool:
    return os.path.exists(_path(folder, session_id, MARKER))


def save_marker(folder: DataFolder, marker: Marker) -> None:
    """Raises OSError."""
    content = {"v": MARKER_VERSION, **{name: getattr(marker, name) for name in Marker.__slots__}}
    write_atomic(_path(folder, marker.session_id, MARKER), dumps(content).encode("ascii"))


def read_marker(folder: DataFolder, session_id: str) -> Marker | None:
    """None when no gate is armed. Raises MarkerUnreadable."""
    try:
        return _read(_path(folder, session_id, MARKER))
    except FileNotFoundError:
        return None
    except DAMAGE as error:
        raise MarkerUnreadable(f"{safe_name(session_id)}: {type(error).__name__}") from error


def clear_marker(folder: DataFolder, session_id: str) -> None:
    """Raises OSError when the disk refuses."""
    remove_file(_path(folder, session_id, MARKER))
    remove_file(_path(folder, session_id, SPENT))


def keep_through(folder: DataFolder, event: HookEvent) -> None:
    """A prompt that no person typed leaves the gate armed; the calls that follow it carry its id."""
    marker = read_marker(folder, event.session_id)
    if marker is None or not marker.prompt_ids or not event.prompt_id or event.prompt_id in marker.prompt_ids:
        return
    marker.prompt_ids = (*marker.prompt_ids, event.prompt_id)
    save_marker(folder, marker)


def strip_markers(folder: DataFolder, rule_ids: Collection[str]) -> int:
    """Disarms every gate of these rules, which are changed or gone; returns how many. Damaged markers stay."""
    stripped = 0
    for name in _marker_names(folder):
        path = os.path.join(folder.gate_markers, name)
        if _rule_of(path) in rule_ids:
            remove_file(path)
            remove_file(path.removesuffix(MARKER) + SPENT)
            stripped += 1
    return stripped


def record_deny(folder: DataFolder, event: HookEvent, *, now: float) -> None:
    """Writes down that this call is denied, after those denied before it. Raises OSError."""
    line = {"denied_at": now, "tool_name": event.tool_name, "tool_use_id": event.tool_use_id}
    path = _path(folder, event.session_id, SPENT)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
    try:
        os.write(descriptor, dumps(line).encode("ascii") + b"\n")
    finally:
        os.close(descriptor)


def read_spent(folder: DataFolder, session_id: str) -> Spent | None:
    """None while the deny was not given. Of a file that is still empty, or damaged, only its time of change counts."""
    try:
        with open(_path(folder, session_id, SPENT), "rb") as file:
            changed_at = os.fstat(file.fileno()).st_mtime
            lines = file.read().splitlines()
    except FileNotFoundError:
        return None
    denied = [entry for line in lines if (entry := _entry(line))]
    if not denied:
        return Spent(denied_at=changed_at, tool_name="", tool_use_ids=frozenset())
    return Spent(
        denied_at=real(denied[0]["denied_at"]),
        tool_name=str(denied[0]["tool_name"]),
        tool_use_ids=frozenset(str(entry["tool_use_id"]) for entry in denied) - {""},
    )


def _path(folder: DataFolder, session_id: str, suffix: str) -> str:
    return os.path.join(folder.gate_markers, safe_name(session_id) + suffix)


def _marker_names(folder: DataFolder) -> list[str]:
    try:
        return [name for name in os.listdir(folder.gate_markers) if name.endswith(MARKER)]
    except FileNotFoundError:
        return []


def _rule_of(path: str) -> str:
    try:
        return _read(path).rule_id
    except DAMAGE:
        return ""


def _read(path: str) -> Marker:
    with open(path, "rb") as file:
        content: Mapping[str, object] = loads(file.read())
    if content["v"] != MARKER_VERSION or not isinstance(content["prompt_ids"], list):
        raise ValueError(path)
    return Marker(
        session_id=str(content["session_id"]),
        prompt_ids=tuple(str(prompt_id) for prompt_id in content["prompt_ids"]),
        armed_at=real(content["armed_at"]),
        rule_id=str(content["rule_id"]),
        short_id=str(content["short_id"]),
        tool_pattern=str(content["tool_pattern"]),
        reason=str(content["reason"]),
    )


def _entry(line: bytes) -> dict[str, object]:
    """One denied call; {} for a line that is none."""
    try:
        entry = loads(line)
        return {
            "denied_at": real(entry["denied_at"]),
            "tool_name": entry["tool_name"],
            "tool_use_id": entry["tool_use_id"],
        }
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
