"""What one check of `health` found: how it stands, the detail, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def as_table(findings: Sequence[Finding]) -> str:
    """One row each, the details below one another; a remedy has a row of its own."""
    width = max((len(finding.name) for finding in findings), default=0)
    return "\n".join(_row(finding, width) for finding in findings)


def _row(finding: Finding, width: int) -> str:
    row = f"{SIGNS[finding.state]} {finding.name:<{width}} {finding.detail}"
    return f"{row}\n  {'':<{width}} > {finding.remedy}" if finding.remedy else row
