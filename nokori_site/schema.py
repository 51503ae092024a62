"""Creates and migrates the tables: one process at a time, the others wait for it and find the work done."""

from __future__ import annotations

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from filelock import FileLock

from nokori_site.database import OUR_APPS, DatabaseRefused, write_stamp
from rules.disk import PRIVATE_FILE, make_folder


def bring_up_to_date() -> None:
    """Raises DatabaseRefused when a newer Nokori has migrated further than this one knows."""
    make_folder(settings.NOKORI_FOLDER.root)
    with FileLock(settings.NOKORI_FOLDER.database_lock, mode=PRIVATE_FILE):
        executor = MigrationExecutor(connection)
        _refuse_newer(executor)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", interactive=False, verbosity=0)
        if connection.vendor == "sqlite":
            write_stamp()


def _refuse_newer(executor: MigrationExecutor) -> None:
    known = executor.loader.disk_migrations
    for label, name in executor.loader.applied_migrations:
        if label in OUR_APPS and (label, name) not in known:
            raise DatabaseRefused(
                f"The database was written by a newer Nokori: its migration {label}.{name} is unknown here. "
                "Use that version here too, or set NOKORI_DATA_DIR to another folder."
            )
