"""Registering with a platform: its settings file as it is > as it is to be > written, and read again.

A change is planned first and carried out after, so that a dry run shows what a real one writes. Writing is atomic,
through a symlink, with the file's own mode; the state before our first change is kept beside the file.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from hooks.platforms import CLAUDE
from hooks.registration import (
    SettingsRefused,
    are_hooks_off,
    hook_line,
    registrations,
    root_of,
    with_entries,
    without_entries,
)
from hooks.switching import is_off, switched_off, switched_on
from rules.disk import remove_file, write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooks.platforms import Platform
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
    """What a settings file says about us: our commands, whether they are switched off, and whether all hooks are."""

    registrations: tuple[Registration, ...] = ()
    is_off: bool = False
    are_hooks_off: bool = False


def settings_path(home: str, platform: Platform = CLAUDE) -> Path:
    """The settings file in a platform's home folder; behind a symlink the real one."""
    return Path(home).expanduser().resolve() / platform.file_name


def hook_lines(python: str, manage: str, *, platform: Platform = CLAUDE) -> dict[str, str]:
    """The command of each entry, by its key."""
    is_windows = os.name == "nt"
    return {
        entry.key: hook_line(python, manage, event=entry.event, is_windows=is_windows) for entry in platform.entries
    }


def plan_install(settings: Path, *, commands: Mapping[str, str], platform: Platform = CLAUDE) -> Change:
    """Raises SettingsRefused when the file is not one to edit, OSError when it cannot be read."""
    path = settings.resolve()
    before = _read(path)
    mark, text = _split_mark(platform.new_file if before is None else before)
    return Change(path, before, mark + with_entries(text, commands, platform=platform))


def plan_uninstall(settings: Path, *, platform: Platform = CLAUDE) -> Change:
    """Raises as plan_install does."""
    path = settings.resolve()
    before = _read(path)
    if before is None:
        return Change(path, before, None)
    return Change(path, before, _text_without(before, backup=_read(_backup_of(path)), platform=platform))


def plan_switch(settings: Path, *, on: bool, platform: Platform = CLAUDE) -> Change:
    """Our hooks run again, or stay and do nothing; no change to a file without them. Raises as plan_install does."""
    path = settings.resolve()
    before = _read(path)
    mark, text = _split_mark(before or "")
    if not text or not registrations(text):
        return Change(path, before, before)
    return Change(path, before, mark + (switched_on if on else switched_off)(text, platform))


def carry_out(change: Change, *, platform: Platform = CLAUDE) -> Installed:
    """Writes what was planned, then takes a fresh look at the file.

    Raises SettingsRefused when the file is not what the plan saw, OSError when it cannot be written.
    """
    if change.is_needed:
        if _read(change.path) != change.before:
            raise SettingsRefused("changed while this command was looking at it; run it again")
        _keep_backup(change)
        _write(change)
        _drop_spent_backup(change)
    return installed(change.path, platform=platform)


def drop_folder(settings: Path) -> None:
    """Takes away the folder of a settings file, when nothing is left in it."""
    with suppress(OSError):
        settings.parent.rmdir()


def kept_backup(settings: Path) -> Path | None:
    """Where the state from before `install` still lies, if it does."""
    path = _backup_of(settings)
    return path if path.exists() else None


def installed(settings: Path, *, platform: Platform = CLAUDE) -> Installed:
    """Raises as plan_install does."""
    text = _read(settings)
    if text is None:
        return Installed()
    _, text = _split_mark(text)
    return Installed(registrations(text), is_off=is_off(text, platform), are_hooks_off=are_hooks_off(text))


def is_plugin_enabled(settings: Path) -> bool:
    """Whether Claude Code's settings have our plugin on, of whatever marketplace. Raises as plan_install does."""
    text = _read(settings)
    enabled = root_of(_split_mark(text)[1]).value.get("enabledPlugins") if text else None
    return isinstance(enabled, dict) and any(is_on and name.startswith("nokori@") for name, is_on in enabled.items())


def says(settings: Path, key: str) -> bool:
    """Whether a settings file sets that key to true. Raises as plan_install does."""
    text = _read(settings)
    return bool(text) and root_of(_split_mark(text or "")[1]).value.get(key) is True


def _text_without(before: str, *, backup: str | None, platform: Platform) -> str | None:
    """The text from before our first change when nothing but our entries came since, else this one without them."""
    mark, text = _split_mark(before)
    if not registrations(text):
        return before
    text = switched_on(text, platform)
    commands = {found.key: found.command for found in registrations(text)}
    if mark + text == _installed_over(backup, commands, platform=platform):
        return backup
    return mark + without_entries(text)


def _installed_over(original: str | None, commands: Mapping[str, str], *, platform: Platform) -> str | None:
    """What installing makes of a text; None when it would not have been installed over."""
    mark, text = _split_mark(platform.new_file if original is None else original)
    try:
        if registrations(text) or len(commands) < len(platform.entries):
            return None
        return mark + with_entries(text, commands, platform=platform)
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
