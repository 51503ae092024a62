"""The machine's time zone, under a name that Django accepts: days of evidence are the user's days."""

from __future__ import annotations

import zoneinfo

import tzlocal

FALLBACK = "UTC"


def local_zone_name() -> str:
    """The IANA name, or UTC where the machine has none that can be loaded."""
    try:
        name = tzlocal.get_localzone_name()
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, TypeError, ValueError):
        return FALLBACK
    return name
