"""Where else than in the user's own settings the hosts look for hooks: in a project, and where a machine is managed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROJECT_FILES = (".claude/settings*.json", ".cursor/hooks.json", ".codex/hooks.json", ".github/hooks/*.json")
MANAGED_FILES = ("managed-settings.json", "managed-settings.d/*.json", "hooks.json")
MANAGED_FOLDERS: Mapping[str, tuple[str, ...]] = {  # of Claude Code and of Cursor, by sys.platform
    "darwin": ("/Library/Application Support/ClaudeCode", "/Library/Application Support/Cursor"),
    "win32": (r"C:\Program Files\ClaudeCode", r"C:\ProgramData\ClaudeCode", r"C:\ProgramData\Cursor"),
    "linux": ("/etc/claude-code", "/etc/cursor"),
}


@dataclass(frozen=True)
class SettingsFile:
    """is_managed: written by whoever looks after this machine, not by its user."""

    path: Path
    is_managed: bool


def other_files(project: Path, *, managed_folders: tuple[str, ...] | None = None) -> Iterator[SettingsFile]:
    """Those that exist; managed_folders: None takes this machine's."""
    folders = MANAGED_FOLDERS.get(sys.platform, ()) if managed_folders is None else managed_folders
    for path in _matching(project, PROJECT_FILES):
        yield SettingsFile(path, is_managed=False)
    for folder in folders:
        for path in _matching(Path(folder), MANAGED_FILES):
            yield SettingsFile(path, is_managed=True)


def _matching(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted(path for pattern in patterns for path in folder.glob(pattern))
