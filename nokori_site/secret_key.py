"""The key that signs sessions of the web pages: made when it is first needed, kept in the data folder (0600)."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from rules.disk import write_atomic

if TYPE_CHECKING:
    from rules.disk import DataFolder

KEY_BYTES = 48


def secret_key(folder: DataFolder) -> str:
    path = Path(folder.secret_key)
    if not path.exists():
        write_atomic(str(path), secrets.token_urlsafe(KEY_BYTES).encode(), durable=True)
    return path.read_text(encoding="utf-8")
