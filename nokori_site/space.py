"""Pages of the database file that no row uses any more go back to the disk. Only SQLite needs to be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    from datetime import datetime

    from rules.maintenance import Counts

PAGES_AT_ONCE = 1_000  # between two steps other writers have their turn


def give_back_space(_now: datetime) -> Counts:
    if connection.vendor != "sqlite" or connection.in_atomic_block:  # SQLite cannot do it inside a transaction
        return {}
    with connection.cursor() as cursor:
        before = free = _free_pages()
        while free:
            cursor.execute(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})").fetchall()
            left = _free_pages()
            if left == free:  # a database that was made without this ability
                break
            free = left
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # the file shrinks when the log is written back
    return {"freed pages": before - free}


def _free_pages() -> int:
    with connection.cursor() as cursor:
        return int(cursor.execute("PRAGMA freelist_count").fetchone()[0])
