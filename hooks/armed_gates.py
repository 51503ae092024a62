"""The gates that are armed at present, for a page to show."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hooks.hot.markers import MARKER, MarkerUnreadable, read_marker

if TYPE_CHECKING:
    from rules.disk import DataFolder


@dataclass(frozen=True, kw_only=True)
class ArmedGate:
    """One session's marker."""

    session_id: str
    short_id: str
    armed_at: datetime


def armed_gates(folder: DataFolder) -> list[ArmedGate]:
    """Newest first; a damaged marker blocks nothing and is passed over."""
    gates = []
    for path in Path(folder.gate_markers).glob(f"*{MARKER}"):
        with suppress(MarkerUnreadable, OSError):
            marker = read_marker(folder, path.stem)
            if marker is not None:
                armed_at = datetime.fromtimestamp(marker.armed_at, UTC)
                gates.append(ArmedGate(session_id=marker.session_id, short_id=marker.short_id, armed_at=armed_at))
    return sorted(gates, key=lambda gate: gate.armed_at, reverse=True)
