"""What `install` did last: which program and script it registered, with which platforms, and by which entries.

install.json in the data folder, which `health` compares with what the settings files say now. The plugin's hooks, which
are shell, read the two lines of plugin_program instead.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hooks.registration import Registration
from rules.disk import remove_file, write_atomic

if TYPE_CHECKING:
    from collections.abc import Collection

    from rules.disk import DataFolder

VERSION = 1
PLUGIN = "plugin"  # its name among the files: Claude Code's settings hold no command of ours then


@dataclass(frozen=True)
class InstallRecord:
    """`files` is the settings file by the platform's name; empty when Nokori was never installed, or is not any more.

    `entries` are our entries as they stood in that file then; a platform of an older record has none. `made`: the
    platforms whose folder was not there before. `imports_off`: Cursor is said not to run Claude Code's hooks.
    """

    python: str = ""
    manage: str = ""
    files: dict[str, str] = field(default_factory=dict)
    entries: dict[str, tuple[Registration, ...]] = field(default_factory=dict)
    made: tuple[str, ...] = ()
    imports_off: bool = False

    def without(self, names: Collection[str]) -> InstallRecord:
        files = {name: path for name, path in self.files.items() if name not in names}
        entries = {name: rows for name, rows in self.entries.items() if name not in names}
        return replace(self, files=files, entries=entries, made=tuple(name for name in self.made if name not in names))


def read_record(folder: DataFolder) -> InstallRecord:
    """An empty record for a file that is missing or damaged: the next `install` writes it anew."""
    try:
        content = json.loads(Path(folder.install_record).read_bytes())
        files = {str(name): str(path) for name, path in content["files"].items()}
        entries = {
            str(name): tuple(Registration(**row) for row in rows) for name, rows in content.get("entries", {}).items()
        }
        return InstallRecord(
            python=str(content["python"]),
            manage=str(content["manage"]),
            files=files,
            entries=entries,
            made=tuple(map(str, content.get("made", ()))),
            imports_off=content.get("imports_off") is True,
        )
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return InstallRecord()


def write_record(folder: DataFolder, record: InstallRecord) -> None:
    """Raises OSError."""
    if PLUGIN in record.files:
        write_atomic(folder.plugin_program, f"{record.python}\n{record.manage}\n".encode())
    else:
        remove_file(folder.plugin_program)
    if not record.files:
        remove_file(folder.install_record)
        return
    entries = {name: [asdict(row) for row in rows] for name, rows in record.entries.items()}
    content = {
        "v": VERSION,
        "python": record.python,
        "manage": record.manage,
        "files": record.files,
        "entries": entries,
        "made": record.made,
        "imports_off": record.imports_off,
    }
    write_atomic(folder.install_record, json.dumps(content, indent=1).encode("ascii"))
