"""The entries that make a platform call Nokori: where they go in its settings, and which ones there are ours. Pure.

A command is ours when all of it reads `PYTHON -I -S .../manage.py hook EVENT`, guarded or not; whatever else stands in
the file is not touched by a byte.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooks import json_text
from hooks.platforms import CLAUDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooks.json_text import Node
    from hooks.platforms import Entry, Platform

OWN_COMMAND = re.compile(
    r"""(?P<python>"(?:[^"\\]|\\.)+"|[^\s"]+)\ -I\ -S\ (?P<manage>"(?:[^"\\]|\\.)+"|[^\s"]+)\ hook\ (?P<event>[a-z-]+)(?P<off>\ off)?(?:\ \|\|\ exit\ 1)?""",
    re.VERBOSE | re.DOTALL,
)
PYTHON_NAME = re.compile(r"(?:python|pypy)[0-9.]*w?(?:\.exe)?", re.IGNORECASE)
OFF = " off"
GUARD = (
    " || exit 1"  # Python exits with 2 when the script is gone, which hosts take for a block of every prompt and call
)
SHELL_SPECIAL = re.compile(r'([\\"$`])')  # what a POSIX shell still reads inside double quotes


class SettingsRefused(Exception):
    """The settings file cannot be edited without harm; the message goes on after the file's name."""


@dataclass(frozen=True)
class Registration:
    """One of our commands as it stands in a file. matcher is empty and timeout None where the file has none."""

    key: str
    matcher: str
    command: str
    timeout: float | None


@dataclass(frozen=True)
class _Place:
    """Where one of our handlers stands: hooks > event > group > handlers > handler, or hooks > event > handler."""

    hooks: Node
    event: Node
    handler: Node
    group: Node | None = None
    handlers: Node | None = None

    @property
    def path(self) -> tuple[Node, ...]:
        between = (self.group, self.handlers) if self.group and self.handlers else ()
        return (self.hooks, self.event, *between, self.handler)

    @property
    def command(self) -> str:
        return str(self.handler.value["command"])


def hook_line(python: str, manage: str, *, event: str, is_windows: bool) -> str:
    """The command for a settings file, which a shell reads; Windows has shells that know no `||`."""
    interpreter, script = (_quoted(path, is_windows=is_windows) for path in (python, manage))
    return f"{interpreter} -I -S {script} hook {event}" + ("" if is_windows else GUARD)


def switched_line(command: str, *, is_off: bool) -> str:
    """One of our commands, doing nothing or working."""
    guard = GUARD if command.endswith(GUARD) else ""
    return command.removesuffix(guard).removesuffix(OFF) + (OFF if is_off else "") + guard


def is_line_off(command: str) -> bool:
    return command.removesuffix(GUARD).endswith(OFF)


def line_words(command: str) -> list[str]:
    """What one of our commands starts: the program and its arguments, without the guard."""
    words = shlex.split(command.removesuffix(GUARD), posix=os.name != "nt")
    return [word.strip('"') for word in words]


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
            matcher=str((place.group or place.handler).value.get("matcher", "")),
            command=place.command,
            timeout=_number(place.handler.value.get("timeout")),
        )
        for place in _own_places(_hooks(text))
    )


def with_entries(text: str, commands: Mapping[str, str], *, platform: Platform = CLAUDE) -> str:
    """The settings text with exactly one command of ours under each key of the platform's, and nowhere else.

    commands: the hook line by key. One of ours that is there keeps its place, its matcher and its timeout.
    Raises SettingsRefused.
    """
    text = _without_superfluous(text, wanted=frozenset(commands))
    for entry in platform.entries:
        text = _with_entry(text, entry, command=commands[entry.key], is_flat=platform.is_flat)
    return text


def without_entries(text: str) -> str:
    """The settings text with nothing of ours, nor the groups and keys that held nothing else. Raises SettingsRefused."""
    return _without_superfluous(text, wanted=frozenset())


def edited(text: str, edit: Callable[[str], str]) -> str:
    """The settings text with each command of ours replaced by what `edit` makes of it. Raises SettingsRefused."""
    for number in range(len(registrations(text))):
        command = list(_own_places(_hooks(text)))[number].handler.member("command")
        if command is not None:
            text = json_text.replaced(text, command, value=edit(command.value))
    return text


def root_of(text: str) -> Node:
    """The object that the settings are. Raises SettingsRefused."""
    try:
        root = json_text.read(text)
    except json_text.JsonUnreadable as error:
        raise SettingsRefused(f"is not valid JSON: {error}") from error
    if not isinstance(root.value, dict):
        raise SettingsRefused("does not hold a JSON object")
    return root


def are_hooks_off(text: str) -> bool:
    """Whether the settings tell the client to run no hook at all."""
    return bool(json_text.read(text).value.get("disableAllHooks"))


def _with_entry(text: str, entry: Entry, *, command: str, is_flat: bool) -> str:
    places = [place for place in _own_places(_hooks(text)) if place.event.key == entry.key]
    if not places:
        return _with_new_handler(text, entry, command=command, is_flat=is_flat)
    handler = places[0].handler
    if handler.member("timeout") is None:
        text = json_text.appended(text, handler, value=entry.timeout_seconds, key="timeout")
    written = handler.member("command")
    return text if written is None or written.value == command else json_text.replaced(text, written, value=command)


def _with_new_handler(text: str, entry: Entry, *, command: str, is_flat: bool) -> str:
    handler = {"type": "command", "command": command, "timeout": entry.timeout_seconds}
    matcher = {"matcher": entry.matcher} if entry.matcher else {}
    group = {**handler, **matcher} if is_flat else {**matcher, "hooks": [handler]}
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
    path = (json_text.read(text), *place.path)
    step = len(path) - 2
    while step > 0 and (path[step] is place.group or len(path[step].children) == 1):
        step -= 1
    return json_text.removed(text, path[step + 1], container=path[step])


def _own_places(hooks: Node | None) -> Iterator[_Place]:
    if hooks is None:
        return
    for event in hooks.children:
        for group in event.children:
            if _is_own_handler(group):
                yield _Place(hooks, event, group)
            elif (handlers := group.member("hooks")) is not None:
                own = filter(_is_own_handler, handlers.children)
                yield from (_Place(hooks, event, handler, group, handlers) for handler in own)


def _is_own_handler(handler: Node) -> bool:
    return isinstance(handler.value, dict) and is_own(handler.value.get("command"))


def _hooks(text: str) -> Node | None:
    """The value of `hooks`, an object; None when there is none."""
    hooks = root_of(text).member("hooks")
    if hooks is not None and not isinstance(hooks.value, dict):
        raise SettingsRefused("has a `hooks` that is not an object")
    return hooks


def _number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _quoted(path: str, *, is_windows: bool) -> str:
    """A Windows path cannot hold a quote, and there a backslash is no escape."""
    return f'"{path}"' if is_windows else '"' + SHELL_SPECIAL.sub(r"\\\1", path) + '"'
