"""One run of `install`: the platforms that are meant > what would change > written, and recorded.

All changes are planned before the first is written, so that one settings file that is refused leaves the others alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hooks.install import (
    carry_out,
    drop_folder,
    hook_lines,
    plan_install,
    plan_switch,
    plan_uninstall,
    settings_path,
)
from hooks.install_record import PLUGIN, read_record, write_record
from hooks.platforms import CLAUDE, CODEX, CURSOR, PLATFORMS
from hooks.registration import SettingsRefused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooks.install import Change, Installed
    from hooks.install_record import InstallRecord
    from hooks.platforms import Platform
    from rules.disk import DataFolder

INSTALL, UNINSTALL, DISABLE, ENABLE = "install", "uninstall", "disable", "enable"
STORE_ALIAS = "WindowsApps"  # Windows' own python.exe there opens the store, or moves with every update


class InstallRefused(Exception):
    """Nothing was written, and the message says why."""


class Homes(Protocol):
    """The settings that say where the programs keep theirs; nokori_site's Config has them."""

    @property
    def claude_home(self) -> str: ...
    @property
    def cursor_home(self) -> str: ...
    @property
    def codex_home(self) -> str: ...


def settings_files(homes: Homes) -> dict[Platform, Path]:
    """Each platform's settings file, whether it is there or not."""
    chosen = {CLAUDE: homes.claude_home, CURSOR: homes.cursor_home, CODEX: homes.codex_home}
    return {platform: settings_path(home, platform) for platform, home in chosen.items()}


@dataclass(frozen=True)
class Installer:
    """`files`: where each platform's settings lie. `python` and `manage`: what our hook lines call."""

    folder: DataFolder
    files: Mapping[Platform, Path]
    python: str
    manage: str

    def choose(self, named: Sequence[Platform], *, is_all: bool, action: str) -> list[Platform]:
        """Those that were named; else Claude Code, and to undo every one that was installed."""
        if is_all:
            extra = [platform for platform in named if platform not in (CLAUDE, CURSOR)]
            return [CLAUDE, CURSOR, *extra] if action == INSTALL else list(PLATFORMS)
        if named:
            return list(named)
        recorded = [platform for platform in PLATFORMS if platform.name in self.record.files]
        return recorded if recorded and action != INSTALL else [CLAUDE]

    @property
    def record(self) -> InstallRecord:
        return read_record(self.folder)

    def plan(self, platforms: Sequence[Platform], *, action: str) -> dict[Platform, Change]:
        """Raises InstallRefused, and OSError when a file cannot be read."""
        if action == INSTALL and STORE_ALIAS in self.python:
            raise InstallRefused(
                f"{self.python} is the Microsoft Store's name for Python, which hooks cannot rely on. Make an "
                "environment (python -m venv .venv) and run `install` with its python.exe. Nothing was written."
            )
        return {platform: self._plan(platform, action=action) for platform in platforms}

    def carry_out(
        self, changes: Mapping[Platform, Change], *, action: str, imports_off: bool
    ) -> dict[Platform, Installed]:
        """What a fresh look at each file shows. Raises InstallRefused for one that changed meanwhile, and OSError."""
        made = [platform.name for platform, change in changes.items() if not change.path.parent.exists()]
        done = {platform: _written(change, platform) for platform, change in changes.items()}
        if action == UNINSTALL:
            self._forget(list(done))
        else:
            record = self._recorded(done, imports_off=imports_off)
            if action == INSTALL:
                record = replace(record, python=self.python, manage=self.manage, made=(*record.made, *made))
            write_record(self.folder, record)
        return done

    def note_plugin(self) -> InstallRecord:
        """From now on the plugin's hooks call this program; no settings file is touched."""
        record = self.record
        new = replace(record, python=self.python, manage=self.manage, files=record.files | {PLUGIN: ""})
        write_record(self.folder, new)
        return new

    def forget_plugin(self) -> None:
        write_record(self.folder, self.record.without([PLUGIN]))

    def _plan(self, platform: Platform, *, action: str) -> Change:
        path = self.files[platform]
        try:
            if action == INSTALL:
                commands = hook_lines(self.python, self.manage, platform=platform)
                return plan_install(path, commands=commands, platform=platform)
            if action == UNINSTALL:
                return plan_uninstall(path, platform=platform)
            return plan_switch(path, on=action == ENABLE, platform=platform)
        except SettingsRefused as error:
            raise InstallRefused(f"{path} {error}. Nothing was written.") from error

    def _recorded(self, done: Mapping[Platform, Installed], *, imports_off: bool) -> InstallRecord:
        record = self.record
        ours = {platform: found for platform, found in done.items() if found.registrations}
        return replace(
            record,
            files=record.files | {platform.name: str(self.files[platform]) for platform in ours},
            entries=record.entries | {platform.name: found.registrations for platform, found in ours.items()},
            imports_off=record.imports_off or imports_off,
        )

    def _forget(self, platforms: Sequence[Platform]) -> None:
        """Also takes away the folders that `install` made, when nothing is left in them."""
        record = self.record
        for platform in platforms:
            if platform.name in record.made:
                drop_folder(self.files[platform])
        write_record(self.folder, record.without([platform.name for platform in platforms]))


def _written(change: Change, platform: Platform) -> Installed:
    try:
        return carry_out(change, platform=platform)
    except SettingsRefused as error:
        raise InstallRefused(f"{change.path} {error}. It was not written.") from error
