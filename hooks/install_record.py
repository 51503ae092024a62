"""What `install` did last: which program and script it registered, and with which platforms. install.json in the data
folder; `health` compares it with what the settings files say now, and the plugin's launcher starts from it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rules.disk import remove_file, write_atomic

if TYPE_CHECKING:
    from rules.disk import DataFolder

VERSION = 1


@dataclass(frozen=True)
class InstallRecord:
    """`files` is the settings file by the platform's name; empty when Nokori was never installed, or is not any more."""

    python: str = ""
    manage: str = ""
    files: dict[str, str] = field(default_factory=dict)


def read_record(folder: DataFolder) -> InstallRecord:
    """An empty record for a file that is missing or damaged: the next `install` writes it anew."""
    try:
        content = json.loads(Path(folder.install_record).read_bytes())
        files = {str(name): str(path) for name, path in content["files"].items()}
        return InstallRecord(python=str(content["python"]), manage=str(content["manage"]), files=files)
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return InstallRecord()


def write_record(folder: DataFolder, record: InstallRecord) -> None:
    """Raises OSError."""
    if not record.files:
        remove_file(folder.install_record)
        return
    content = {"v": VERSION, "python": record.python, "manage": record.manage, "files": record.files}
    write_atomic(folder.install_record, json.dumps(content, indent=1).encode("ascii"))
