"""Where hooks may stand besides the settings that are edited now: in a project, where a machine is managed, and in homes
that another environment chose.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PROJECT_FILES = (".claude/settings*.json", ".cursor/hooks.json", ".codex/hooks.json", ".github/hooks/*.json")
MANAGED_FILES = ("managed-settings.json", "managed-settings.d/*.json", "hooks.json")
MANAGED_FOLDERS: Mapping[str, tuple[str, ...]] = {  # of Claude Code and of Cursor, by sys.platform
    "darwin": ("/Library/Application Support/ClaudeCode", "/Library/Application Support/Cursor"),
    "win32": (r"C:\Program Files\ClaudeCode", r"C:\ProgramData\ClaudeCode", r"C:\ProgramData\Cursor"),
    "linux": ("/etc/claude-code", "/etc/cursor"),
}


@dataclass(frozen=True)
class SettingsFile:
    """kind: "project", "managed" (written by whoever looks after this machine, not by its user) or "other"."""

    path: Path
    kind: str

    @property
    def is_managed(self) -> bool:
        return self.kind == "managed"


def other_files(
    project: Path, *, also: Iterable[Path] = (), managed_folders: tuple[str, ...] | None = None
) -> Iterator[SettingsFile]:
    """Those that exist; managed_folders: None takes this machine's."""
    folders = MANAGED_FOLDERS.get(sys.platform, ()) if managed_folders is None else managed_folders
    for path in _matching(project, PROJECT_FILES):
        yield SettingsFile(path, "project")
    for path in filter(Path.is_file, also):
        yield SettingsFile(path, "other")
    for folder in folders:
        for path in _matching(Path(folder), MANAGED_FILES):
            yield SettingsFile(path, "managed")


def _matching(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted(path for pattern in patterns for path in folder.glob(pattern))
