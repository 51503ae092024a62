"""The database on first use: ours or foreign, created and migrated when it is behind.

rules.db is ours when its header carries APPLICATION_ID; any other non-empty file is refused before SQLite sees it.
A stamp in user_version says that the schema is this program's, so later starts look at nothing else.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import django
from django.apps import apps
from django.db import connection
from filelock import FileLock

from nokori_site.database_url import is_in_memory
from rules.disk import APPLICATION_ID, PRIVATE_FILE, is_ours, make_folder, read_header

LARGEST_STAMP = 0x7FFFFFFF  # user_version is a signed 32-bit number
_opened: set[tuple[int, int]] = set()  # files that a connection of this process has opened
OUR_APPS = ("rules", "retrieval", "extraction", "hooks", "nokori_site")


class DatabaseRefused(Exception):
    """The database was made by another program or by a newer Nokori."""


def prepare_database() -> None:
    """Makes the database ready for use, creating and migrating it when it is behind.

    Raises DatabaseRefused, and OSError or DatabaseError when it cannot be read or written.
    """
    claim_database()
    if connection.vendor != "sqlite" or read_stamp() != schema_stamp():
        from nokori_site.schema import bring_up_to_date  # noqa: PLC0415  only a new version's first start pays for it

        bring_up_to_date()


def claim_database() -> None:
    """Of a file that a connection of this process has opened, the header is not read again: closing what was read would
    drop the locks that its connections hold (https://www.sqlite.org/howtocorrupt.html, 2.2), and another process would
    take the write-ahead log away under them."""
    path = sqlite_file()
    if path is not None and _identity(path) not in _opened:
        claim_file(path)


def remember_opened(**_: object) -> None:
    """Receiver of Django's signal that a connection was made."""
    path = sqlite_file()
    if path is not None and (identity := _identity(path)):
        _opened.add(identity)


def claim_file(path: Path) -> None:
    """Refuses a foreign file, untouched, and makes an empty one of ours where there is none."""
    header = read_header(str(path))
    if not header:
        _create_file(path)
    elif not is_ours(header):
        raise DatabaseRefused(
            f"{path} was made by another program and stays as it is. Set NOKORI_DATA_DIR to another folder; "
            "to take its rules along, export them with that program and `import` them here."
        )


def sqlite_file() -> Path | None:
    """The file of the default database; None when it is in memory or on a server."""
    name = str(connection.settings_dict["NAME"])
    return None if connection.vendor != "sqlite" or is_in_memory(name) else Path(name)


def schema_stamp() -> int:
    """A number for the schema that this program wants: its own migrations, and Django's by its version."""
    names = [
        f"{label}/{file.name}"
        for label in OUR_APPS
        for file in (Path(apps.get_app_config(label).path) / "migrations").glob("[0-9]*.py")
    ]
    return zlib.crc32("\n".join([django.get_version(), *sorted(names)]).encode()) & LARGEST_STAMP


def read_stamp() -> int:
    with connection.cursor() as cursor:
        return int(cursor.execute("PRAGMA user_version").fetchone()[0])


def write_stamp() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA user_version={schema_stamp()}")


def _identity(path: Path) -> tuple[int, int] | None:
    """Of the file at this path, however it is called; None for no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino)


def _create_file(path: Path) -> None:
    """Marks the file as ours with its very first write, before WAL puts writes elsewhere."""
    make_folder(str(path.parent))
    with FileLock(path.with_suffix(".lock"), mode=PRIVATE_FILE):
        if not read_header(str(path)):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
            _write_header(path)


def _write_header(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("BEGIN")  # one write: nobody ever meets a file that is neither empty nor ours
        file.execute("PRAGMA auto_vacuum=INCREMENTAL")  # without effect once there is a first page
        file.execute(f"PRAGMA application_id={int.from_bytes(APPLICATION_ID, 'big')}")
        file.execute("COMMIT")
