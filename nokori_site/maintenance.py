"""All scans of all apps, run by one process at a time: those that are due, or on demand every one of them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from extraction.retention import extraction_scans
from hooks.retention import hook_scans
from nokori_site.logs import rotate_logs
from nokori_site.space import give_back_space
from rules.disk import PRIVATE_FILE
from rules.maintenance import ROW_SCANS, Scan, ScanReport, run_scans

if TYPE_CHECKING:
    from datetime import datetime

    from nokori_site.config import Config
    from rules.disk import DataFolder


class MaintenanceBusy(Exception):
    """Another process is at it."""


def all_scans(folder: DataFolder, *, config: Config) -> tuple[Scan, ...]:
    """In this order: space is given back when the rows are gone."""
    return (
        *ROW_SCANS,
        *extraction_scans(),
        *hook_scans(folder, gate_ttl_seconds=config.gate_ttl_seconds),
        Scan(name="logs", every=timedelta(hours=1), run=lambda _now: {"rotated": rotate_logs(folder)}),
        Scan(name="space", every=timedelta(days=1), run=give_back_space),
    )


def maintain(folder: DataFolder, *, config: Config, now: datetime, only_due: bool, name: str = "") -> list[ScanReport]:
    """All scans, or the one of that name.

    Raises MaintenanceBusy when another process is at work, DatabaseError when the database refuses.
    """
    scans = [scan for scan in all_scans(folder, config=config) if name in ("", scan.name)]
    try:
        with FileLock(folder.maintenance_lock, timeout=0, mode=PRIVATE_FILE):
            return run_scans(scans, now=now, only_due=only_due)
    except Timeout as error:
        raise MaintenanceBusy("Maintenance is running already.") from error
