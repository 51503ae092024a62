"""The entries that make Claude Code call Nokori: where they go in settings.json, and which ones there are ours. Pure.

A command is ours when all of it reads `PYTHON -I -S .../manage.py hook EVENT`; whatever else stands in the file is not
touched by a byte. Registers only the four events that every client knows: an older one voids a file with another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooks import json_text
from rules.fields import TOOL_MATCHER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooks.json_text import Node

NEW_FILE = "{}\n"
OWN_COMMAND = re.compile(
    r"""(?P<python>"(?:[^"\\]|\\.)+"|[^\s"]+)\ -I\ -S\ (?P<manage>"(?:[^"\\]|\\.)+"|[^\s"]+)\ hook\ (?P<event>[a-z-]+)""",
    re.VERBOSE | re.DOTALL,
)
PYTHON_NAME = re.compile(r"(?:python|pypy)[0-9.]*w?(?:\.exe)?", re.IGNORECASE)
SHELL_SPECIAL = re.compile(r'([\\"$`])')  # what a POSIX shell still reads inside double quotes


class SettingsRefused(Exception):
    """The settings file cannot be edited without harm; the message goes on after the file's name."""


@dataclass(frozen=True)
class Entry:
    """One row of what is registered. timeout_seconds: the hook's own deadline is far below it."""

    key: str
    event: str
    timeout_seconds: int
    matcher: str = ""


CLAUDE_ENTRIES = (
    Entry("SessionStart", "session-start", 10),
    Entry("UserPromptSubmit", "user-prompt-submit", 10),
    Entry("PreToolUse", "pre-tool-use", 5, TOOL_MATCHER),
    Entry("SessionEnd", "session-end", 20),  # without a timeout the client kills it after 1.5 s
)


@dataclass(frozen=True)
class Registration:
    """One of our commands as it stands in a file. matcher is empty and timeout None where the file has none."""

    key: str
    matcher: str
    command: str
    timeout: float | None


@dataclass(frozen=True)
class _Place:
    """Where one of our handlers stands: hooks > event > group > handlers > handler."""

    hooks: Node
    event: Node
    group: Node
    handlers: Node
    handler: Node

    @property
    def command(self) -> str:
        return str(self.handler.value["command"])


def hook_line(python: str, manage: str, *, event: str, is_windows: bool) -> str:
    """The command for a settings file, which a shell reads."""
    interpreter, script = (_quoted(path, is_windows=is_windows) for path in (python, manage))
    return f"{interpreter} -I -S {script} hook {event}"


def is_own(command: object) -> bool:
    found = OWN_COMMAND.fullmatch(command) if isinstance(command, str) else None
    if found is None:
        return False
    python, manage = (re.split(r"[/\\]", found[name].strip('"'))[-1] for name in ("python", "manage"))
    return PYTHON_NAME.fullmatch(python) is not None and manage == "manage.py"


def registrations(text: str) -> tuple[Registration, ...]:
    """Our commands in a settings text, in its order. Raises SettingsRefused."""
    return tuple(
        Registration(
            key=place.event.key,
            matcher=str(place.group.value.get("matcher", "")),
            command=place.command,
            timeout=_number(place.handler.value.get("timeout")),
        )
        for place in _own_places(_hooks(text))
    )


def with_entries(text: str, commands: Mapping[str, str]) -> str:
    """The settings text with exactly one command of ours under each key of CLAUDE_ENTRIES, and nowhere else.

    commands: the hook line by key. One of ours that is there keeps its place, its matcher and its timeout.
    Raises SettingsRefused.
    """
    text = _without_superfluous(text, wanted=frozenset(commands))
    for entry in CLAUDE_ENTRIES:
        text = _with_entry(text, entry, command=commands[entry.key])
    return text


def without_entries(text: str) -> str:
    """The settings text with nothing of ours, nor the groups and keys that held nothing else. Raises SettingsRefused."""
    return _without_superfluous(text, wanted=frozenset())


def are_hooks_off(text: str) -> bool:
    """Whether the settings tell the client to run no hook at all."""
    return bool(json_text.read(text).value.get("disableAllHooks"))


def _with_entry(text: str, entry: Entry, *, command: str) -> str:
    places = [place for place in _own_places(_hooks(text)) if place.event.key == entry.key]
    if not places:
        return _with_new_group(text, entry, command=command)
    handler = places[0].handler
    if handler.member("timeout") is None:
        text = json_text.appended(text, handler, value=entry.timeout_seconds, key="timeout")
    written = handler.member("command")
    return text if written is None or written.value == command else json_text.replaced(text, written, value=command)


def _with_new_group(text: str, entry: Entry, *, command: str) -> str:
    handler = {"type": "command", "command": command, "timeout": entry.timeout_seconds}
    group = {**({"matcher": entry.matcher} if entry.matcher else {}), "hooks": [handler]}
    hooks = _hooks(text)
    if hooks is None:
        return json_text.appended(text, json_text.read(text), value={entry.key: [group]}, key="hooks")
    event = hooks.member(entry.key)
    if event is None:
        return json_text.appended(text, hooks, value=[group], key=entry.key)
    if not isinstance(event.value, list):
        raise SettingsRefused(f"has a `hooks.{entry.key}` that is not an array")
    return json_text.appended(text, event, value=group)


def _without_superfluous(text: str, *, wanted: frozenset[str]) -> str:
    while (place := _superfluous(text, wanted=wanted)) is not None:
        text = _without_place(text, place)
    return text


def _superfluous(text: str, *, wanted: frozenset[str]) -> _Place | None:
    """The first of ours that stands under a key that is not wanted, or a second time under one."""
    seen: set[str] = set()
    for place in _own_places(_hooks(text)):
        if place.event.key in seen or place.event.key not in wanted:
            return place
        seen.add(place.event.key)
    return None


def _without_place(text: str, place: _Place) -> str:
    """Removes the handler, with each thing around it that held nothing else."""
    path = (json_text.read(text), place.hooks, place.event, place.group, place.handlers, place.handler)
    step = len(path) - 2
    while step > 0 and (path[step] is place.group or len(path[step].children) == 1):
        step -= 1
    return json_text.removed(text, path[step + 1], container=path[step])


def _own_places(hooks: Node | None) -> Iterator[_Place]:
    if hooks is None:
        return
    for event in hooks.children:
        for group in event.children:
            if (handlers := group.member("hooks")) is not None:
                own = filter(_is_own_handler, handlers.children)
                yield from (_Place(hooks, event, group, handlers, handler) for handler in own)


def _is_own_handler(handler: Node) -> bool:
    return isinstance(handler.value, dict) and is_own(handler.value.get("command"))


def _hooks(text: str) -> Node | None:
    """The value of `hooks`, an object; None when there is none."""
    try:
        root = json_text.read(text)
    except json_text.JsonUnreadable as error:
        raise SettingsRefused(f"is not valid JSON: {error}") from error
    if not isinstance(root.value, dict):
        raise SettingsRefused("does not hold a JSON object")
    hooks = root.member("hooks")
    if hooks is not None and not isinstance(hooks.value, dict):
        raise SettingsRefused("has a `hooks` that is not an object")
    return hooks


def _number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _quoted(path: str, *, is_windows: bool) -> str:
    """A Windows path cannot hold a quote, and there a backslash is no escape."""
    return f'"{path}"' if is_windows else '"' + SHELL_SPECIAL.sub(r"\\\1", path) + '"'
