"""Registering with Claude Code: settings.json as it is > as it is to be > written, and read again.

A change is planned first and carried out after, so that a dry run shows what a real one writes. Writing is atomic,
through a symlink, with the file's own mode; the state before our first change is kept beside the file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from hooks.registration import (
    CLAUDE_ENTRIES,
    NEW_FILE,
    SettingsRefused,
    are_hooks_off,
    hook_line,
    registrations,
    with_entries,
    without_entries,
)
from rules.disk import remove_file, write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooks.registration import Registration

BACKUP_SUFFIX = ".nokori-backup"
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Change:
    """A settings file's text before and after; None where there is no file."""

    path: Path
    before: str | None
    after: str | None

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    @property
    def diff(self) -> str:
        """Unified, empty when nothing changes."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = unified_diff(old, new, fromfile=str(self.path), tofile=str(self.path))
        return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


@dataclass(frozen=True)
class Installed:
    """What a settings file says about us: our commands, and whether the client runs any hook."""

    registrations: tuple[Registration, ...]
    are_hooks_off: bool


def claude_settings(claude_home: str) -> Path:
    """The settings file in a Claude Code home folder; behind a symlink the real one."""
    return Path(claude_home).expanduser().resolve() / "settings.json"


def hook_lines(python: str, manage: str) -> dict[str, str]:
    """The command of each entry, by its key."""
    return {
        entry.key: hook_line(python, manage, event=entry.event, is_windows=os.name == "nt") for entry in CLAUDE_ENTRIES
    }


def plan_install(settings: Path, *, commands: Mapping[str, str]) -> Change:
    """Raises SettingsRefused when the file is not one to edit, OSError when it cannot be read."""
    path = settings.resolve()
    before = _read(path)
    mark, text = _split_mark(NEW_FILE if before is None else before)
    return Change(path, before, mark + with_entries(text, commands))


def plan_uninstall(settings: Path) -> Change:
    """Raises as plan_install does."""
    path = settings.resolve()
    before = _read(path)
    return Change(path, before, None if before is None else _text_without(before, backup=_read(_backup_of(path))))


def carry_out(change: Change) -> Installed:
    """Writes what was planned, then takes a fresh look at the file.

    Raises SettingsRefused when the file is not what the plan saw, OSError when it cannot be written.
    """
    if change.is_needed:
        if _read(change.path) != change.before:
            raise SettingsRefused("changed while this command was looking at it; run it again")
        _keep_backup(change)
        _write(change)
        _drop_spent_backup(change)
    return installed(change.path)


def installed(settings: Path) -> Installed:
    """Raises as plan_install does."""
    text = _read(settings)
    if text is None:
        return Installed(registrations=(), are_hooks_off=False)
    _, text = _split_mark(text)
    return Installed(registrations(text), are_hooks_off(text))


def _text_without(before: str, *, backup: str | None) -> str | None:
    """The text from before our first change when nothing but our entries came since, else this one without them."""
    mark, text = _split_mark(before)
    commands = {found.key: found.command for found in registrations(text)}
    if not commands:
        return before
    if before == _installed_over(backup, commands):
        return backup
    return mark + without_entries(text)


def _installed_over(original: str | None, commands: Mapping[str, str]) -> str | None:
    """What installing makes of a text; None when it would not have been installed over."""
    mark, text = _split_mark(NEW_FILE if original is None else original)
    try:
        if registrations(text) or len(commands) < len(CLAUDE_ENTRIES):
            return None
        return mark + with_entries(text, commands)
    except SettingsRefused:
        return None


def _keep_backup(change: Change) -> None:
    """The newest state without our entries; one with them only when there is no other."""
    backup = _backup_of(change.path)
    if change.before is None or change.after is None:
        return
    if not backup.exists() or not registrations(_split_mark(change.before)[1]):
        write_atomic(str(backup), change.before.encode(), durable=True, like=change.path.stat())


def _write(change: Change) -> None:
    if change.after is None:
        remove_file(str(change.path))
        return
    like = change.path.stat() if change.before is not None else None
    write_atomic(str(change.path), change.after.encode(), durable=True, like=like)


def _drop_spent_backup(change: Change) -> None:
    if change.after == _read(_backup_of(change.path)):
        remove_file(str(_backup_of(change.path)))


def _backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP_SUFFIX)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise SettingsRefused(f"is not UTF-8: see byte {error.start + 1}") from error


def _split_mark(text: str) -> tuple[str, str]:
    """The byte order mark that some Windows editors put first, and the rest."""
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    return mark, text.removeprefix(mark)
