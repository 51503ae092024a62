"""What the dashboard tells, for one period that ends now: figures, a chart, what is new, what waits, how things stand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from extraction.models import ExtractJob
from hooks.armed_gates import armed_gates
from hooks.call_report import event_costs, last_calls, latest_by_host
from hooks.latest import latest_shown
from hooks.models import HookFailure
from nokori_site.activity import PERIODS, activity
from nokori_site.embed_standing import look_at_embedding
from retrieval.publish import published_state
from rules.lifecycle import SourceType, Status
from rules.models import Injection, Rule
from rules.on_the_way import rules_on_the_way

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hooks.armed_gates import ArmedGate
    from hooks.call_report import EventCost, LastCall
    from hooks.latest import Shown
    from nokori_site.activity import Activity, Period
    from nokori_site.config import Config
    from nokori_site.embed_standing import EmbedStanding
    from retrieval.publish import PublishedState
    from rules.disk import DataFolder
    from rules.on_the_way import Progress

MOST_SHOWN = 6
MOST_WAITING = 2
MOST_ON_THE_WAY = 4
PROMPT = "user-prompt-submit"
LATELY = timedelta(hours=24)  # failures older than that are not news
IN_USE = (Status.ACTIVE, Status.DORMANT)


@dataclass(frozen=True, kw_only=True)
class RuleCounts:
    """All rules by status; those in use by type as well."""

    by_status: dict[str, int]
    by_type: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.by_status.values())

    @property
    def in_use(self) -> int:
        return sum(self.by_status[status] for status in IN_USE)

    @property
    def waiting(self) -> int:
        return self.by_status[Status.CANDIDATE]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How the parts stand. published_bytes: of all files that hooks read; failures: of hooks, lately."""

    hosts: Sequence[LastCall]
    calls: Sequence[LastCall]
    published: PublishedState
    published_bytes: int
    notes_waiting: int
    notes_unreadable: int
    gates: Sequence[ArmedGate]
    jobs_waiting: int
    jobs_given_up: int
    failures: int

    @property
    def is_well(self) -> bool:
        return self.published.is_fresh and not (self.notes_unreadable or self.jobs_given_up or self.failures)


@dataclass(frozen=True, kw_only=True)
class Overview:
    """Everything on the page."""

    period: Period
    rules: RuleCounts
    activity: Activity
    shown_before: int | None
    latest: Sequence[Shown]
    candidates: Sequence[Rule]
    on_the_way: Sequence[Progress]
    costs: Sequence[EventCost]
    standing: Standing
    embedding: EmbedStanding

    @property
    def prompt_p95_ms(self) -> float | None:
        return next((cost.p95_ms for cost in self.costs if cost.event == PROMPT), None)

    @property
    def change_percent(self) -> int | None:
        """Of what was shown, against the period before; None when nothing was shown then, or it is not kept that long."""
        if not self.shown_before:
            return None
        return round(100 * (self.activity.shown - self.shown_before) / self.shown_before)


def look_at(folder: DataFolder, *, config: Config, period_name: str, now: datetime) -> Overview:
    period = PERIODS.get(period_name, PERIODS["7d"])
    return Overview(
        period=period,
        rules=count_rules(),
        activity=activity(period, now=now),
        shown_before=_shown_before(period, now=now),
        latest=latest_shown(MOST_SHOWN),
        candidates=list(Rule.objects.candidates().newest_first()[:MOST_WAITING]),
        on_the_way=rules_on_the_way(MOST_ON_THE_WAY) if config.promotion_enabled else [],
        costs=event_costs(period.first_day(now)),
        standing=look_at_standing(folder, now=now),
        embedding=look_at_embedding(folder, config=config),
    )


def count_rules() -> RuleCounts:
    by_status = dict.fromkeys(map(str, Status), 0)
    by_type = dict.fromkeys(map(str, SourceType), 0)
    for status, source_type, number in Rule.objects.counted_by("status", "source_type"):
        by_status[status] += number
        by_type[source_type] += number if status in IN_USE else 0
    return RuleCounts(by_status=by_status, by_type=by_type)


def _shown_before(period: Period, *, now: datetime) -> int | None:
    if not period.is_kept_twice:
        return None
    return Injection.objects.filter(at__gte=now - 2 * period.length, at__lt=now - period.length).count()


def look_at_standing(folder: DataFolder, *, now: datetime) -> Standing:
    calls = last_calls()
    jobs = Counter(dict(ExtractJob.objects.counted_by_status()))
    return Standing(
        hosts=latest_by_host(calls),
        calls=calls,
        published=published_state(),
        published_bytes=sum(path.stat().st_size for path in Path(folder.published).glob("*") if path.is_file()),
        notes_waiting=_count_notes(folder.spool_new),
        notes_unreadable=_count_notes(folder.spool_bad),
        gates=armed_gates(folder),
        jobs_waiting=jobs[ExtractJob.Status.PENDING] + jobs[ExtractJob.Status.RUNNING],
        jobs_given_up=sum(jobs[status] for status in ExtractJob.GIVEN_UP),
        failures=HookFailure.objects.since(now - LATELY).count(),
    )


def _count_notes(place: str) -> int:
    return sum(1 for _ in Path(place).glob("*.json"))
