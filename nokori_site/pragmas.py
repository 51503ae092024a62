"""Asks SQLite, after each opening, whether the pragmas of database_url are in force: it drops some without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import DatabaseError

from nokori_site.database_url import PRAGMAS, is_in_memory

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper


class PragmaNotInForce(DatabaseError):
    """SQLite did not take over a pragma that many processes on one file need."""


def check_pragmas(sender: object, connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Receiver of connection_created; the rest of its arguments do not matter here."""
    if connection.vendor != "sqlite":
        return
    name = str(connection.settings_dict["NAME"])
    wanted = PRAGMAS | ({"journal_mode": "memory"} if is_in_memory(name) else {})
    with connection.cursor() as cursor:
        for pragma, value in wanted.items():
            found = cursor.execute(f"PRAGMA {pragma}").fetchone()[0]
            if found != value:
                raise PragmaNotInForce(f"{pragma} is {found}, not {value}: put NOKORI_DATA_DIR on a local disk")
