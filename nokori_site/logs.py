"""The log files of the data folder: append a line, keep each file small.

Writers open, append one line and close, so a file may be renamed under them at any time.
"""

from __future__ import annotations

import os
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from rules.disk import PRIVATE_FILE, make_folder

if TYPE_CHECKING:
    from datetime import datetime

    from rules.disk import DataFolder

MAX_LOG_BYTES = 1_000_000
OLD_LOGS_KEPT = 3


def append_line(folder: DataFolder, name: str, text: str, *, level: str = "INFO", now: datetime) -> None:
    """One line `2026-11-30T10:00:00Z INFO settle text` in logs/NAME.log. Raises OSError."""
    make_folder(folder.logs)
    line = f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ} {level} {name} {' '.join(text.split())}\n"
    descriptor = os.open(Path(folder.logs) / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        file.write(line.encode("utf-8", "backslashreplace"))


def rotate_logs(folder: DataFolder) -> int:
    """Moves each full log aside, dropping the oldest; returns how many were full."""
    full = [path for path in Path(folder.logs).glob("*.log") if path.stat().st_size >= MAX_LOG_BYTES]
    for path in full:
        for number in range(OLD_LOGS_KEPT - 1, 0, -1):
            older = path.with_name(f"{path.name}.{number}")
            if older.exists():
                older.replace(path.with_name(f"{path.name}.{number + 1}"))
        path.replace(path.with_name(f"{path.name}.1"))
    return len(full)
