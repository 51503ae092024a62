"""The Lifecycle page: how many rules are in which state, how many moved lately, what is on its way, what maintenance did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from nokori_site.dashboard import count_rules
from nokori_site.maintenance import all_scans
from rules.lifecycle import Status
from rules.maintenance import latest_runs, scan_times
from rules.models import StatusChange, UnresolvedPair
from rules.on_the_way import rules_on_the_way

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from nokori_site.config import Config
    from nokori_site.dashboard import RuleCounts
    from rules.disk import DataFolder
    from rules.maintenance import ScanTimes
    from rules.on_the_way import Progress

FLOW_WINDOW = timedelta(days=30)
MOST_ON_THE_WAY = 20
MOST_PAIRS = 20
BORN = "new"


@dataclass(frozen=True, kw_only=True)
class ScanRow:
    """One maintenance task. summary: what its last run did, by word; empty when it did nothing or never ran."""

    times: ScanTimes
    every: timedelta
    summary: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class LifecyclePage:
    """flows: moves of the last 30 days by a name such as candidate_active; new_active for one that began there."""

    rules: RuleCounts
    flows: dict[str, int]
    on_the_way: Sequence[Progress]
    unresolved: Sequence[UnresolvedPair]
    scans: Sequence[ScanRow]


def lifecycle_page(folder: DataFolder, *, config: Config, now: datetime) -> LifecyclePage:
    return LifecyclePage(
        rules=count_rules(),
        flows=_flows(since=now - FLOW_WINDOW),
        on_the_way=rules_on_the_way(MOST_ON_THE_WAY),
        unresolved=list(UnresolvedPair.objects.standing().select_related("old", "new").order_by("-at")[:MOST_PAIRS]),
        scans=_scans(folder, config=config, now=now),
    )


def _flows(*, since: datetime) -> dict[str, int]:
    flows = {f"{source}_{target}": 0 for source in (BORN, *Status) for target in Status}
    for source, target, number in StatusChange.objects.counted_since(since):
        flows[f"{source or BORN}_{target}"] += number
    return flows


def _scans(folder: DataFolder, *, config: Config, now: datetime) -> list[ScanRow]:
    scans = all_scans(folder, config=config)
    summaries = {run.scan: run.summary for run in latest_runs()}
    return [
        ScanRow(
            times=times, every=scan.every, summary={word: n for word, n in summaries.get(scan.name, {}).items() if n}
        )
        for scan, times in zip(scans, scan_times(scans, now=now), strict=True)
    ]
