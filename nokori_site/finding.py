"""What one check of `health` found: how it stands, the detail, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    NOTE = "note"  # nothing is wrong, but worth knowing
    WARN = "warn"  # something works less well than it could
    FAIL = "fail"  # something does not work


SIGNS = {State.OK: "✓", State.NOTE: "·", State.WARN: "!", State.FAIL: "✗"}


@dataclass(frozen=True)
class Finding:
    """One row. remedy: one sentence in the imperative; empty when there is nothing to do."""

    name: str
    state: State
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        row = f"{SIGNS[self.state]} {self.name:<14} {self.detail}"
        return f"{row}\n  {'':<14} > {self.remedy}" if self.remedy else row
