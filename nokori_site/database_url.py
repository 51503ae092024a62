"""A database URL, or none, becomes the DATABASES entry that Django wants.

SQLite always gets the options under which many short processes share one file.
"""

from __future__ import annotations

from typing import Any

import dj_database_url

BUSY_TIMEOUT_SECONDS = 20
PRAGMAS = {  # name: what the pragma answers once it is in force
    "journal_mode": "wal",
    "synchronous": 1,  # NORMAL: safe in WAL, and one fsync less for each commit
    "foreign_keys": 1,
    "busy_timeout": BUSY_TIMEOUT_SECONDS * 1000,
}
SQLITE = "django.db.backends.sqlite3"


def parse_database_url(url: str, *, default_file: str) -> dict[str, Any]:
    """Raises ValueError for a URL that names no database."""
    if not url:
        return {"ENGINE": SQLITE, "NAME": default_file, "OPTIONS": sqlite_options()}
    parsed: dict[str, Any] = {**dj_database_url.parse(url)}
    if parsed["ENGINE"] == SQLITE:
        parsed["OPTIONS"] = sqlite_options()
    return parsed


def is_database_url(url: str) -> bool:
    try:
        parse_database_url(url, default_file="")
    except ValueError:
        return False
    return True


def is_in_memory(name: str) -> bool:
    """Whether a SQLite database of this name has no file; the test suite's has not."""
    return ":memory:" in name or "mode=memory" in name


def sqlite_options() -> dict[str, Any]:
    return {
        "timeout": BUSY_TIMEOUT_SECONDS,
        "transaction_mode": "IMMEDIATE",  # a transaction that reads first never loses its write to another one
        "init_command": ";".join(f"PRAGMA {name}={value}" for name, value in PRAGMAS.items()),
    }
