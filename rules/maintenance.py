"""Scans that run from time to time: which are due, what each of them did.

In: scans with their intervals, and now. Out: one report a scan; its time is kept in the database. The scans of this
module age rules and drop rows that nothing counts any more; other apps have scans of their own, the site joins them.
Candidates age by local calendar days, everything else by time that has passed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, TypeAlias

from django.db import DatabaseError, transaction
from django.db.models import Exists, Max, OuterRef, Q, Subquery
from django.utils.timezone import localdate, make_aware

from rules.lifecycle import Mover, SourceType, Status
from rules.models import Injection, MaintenanceRun, Rule, ShadowHit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import Model, QuerySet

    from rules.models import RuleQuerySet

Counts: TypeAlias = Mapping[str, int]  # what was done > to how many

DORMANT_AFTER = timedelta(days=30)  # README "Maintenance", as the next four
CANDIDATE_DAYS = 20
ANTI_PATTERN_DAYS = 40
INJECTION_AGE = timedelta(days=30)
SHADOW_HIT_AGE_DAYS = 90
KEPT_RUNS = 20  # of each scan
BATCH_ROWS = 10_000  # deleted rows a transaction


@dataclass(frozen=True, kw_only=True)
class Scan:
    """Something to do from time to time. run: takes now, returns what it did."""

    name: str
    every: timedelta
    run: Callable[[datetime], Counts]


@dataclass(frozen=True, kw_only=True)
class ScanReport:
    """What one scan did, or why it could not; it is due again then."""

    scan: str
    counts: Counts = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class ScanTimes:
    """When a scan ran last (None: never) and from when on it is due."""

    scan: str
    ran_at: datetime | None
    due_at: datetime | None
    is_due: bool


def run_scans(scans: Iterable[Scan], *, now: datetime, only_due: bool) -> list[ScanReport]:
    """Runs each scan by itself: one that fails does not keep the others from running."""
    last_runs = _last_runs()
    return [_run(scan, now=now) for scan in scans if not only_due or is_due(scan, last_runs.get(scan.name), now=now)]


def is_due(scan: Scan, ran_at: datetime | None, *, now: datetime) -> bool:
    """A run in the future (the clock has gone back) does not count."""
    return ran_at is None or ran_at > now or now - ran_at >= scan.every


def scan_times(scans: Iterable[Scan], *, now: datetime) -> list[ScanTimes]:
    last_runs = _last_runs()
    return [_times(scan, last_runs.get(scan.name), now=now) for scan in scans]


def latest_runs() -> list[MaintenanceRun]:
    """The last run of each scan that ever ran."""
    latest = MaintenanceRun.objects.filter(scan=OuterRef("scan")).order_by("-pk").values("pk")[:1]
    return list(MaintenanceRun.objects.filter(pk=Subquery(latest)))


def delete_in_batches(rows: QuerySet[Model]) -> int:
    """Each batch is a transaction of its own, so that other writers come in between."""
    deleted = 0
    while batch := rows.model._default_manager.filter(pk__in=rows.values("pk")[:BATCH_ROWS]).delete()[0]:
        deleted += batch
    return deleted


def _last_runs() -> dict[str, datetime]:
    return dict(MaintenanceRun.objects.values_list("scan").annotate(Max("ran_at")))


def _times(scan: Scan, ran_at: datetime | None, *, now: datetime) -> ScanTimes:
    due_at = ran_at + scan.every if ran_at else None
    return ScanTimes(scan=scan.name, ran_at=ran_at, due_at=due_at, is_due=is_due(scan, ran_at, now=now))


def _run(scan: Scan, *, now: datetime) -> ScanReport:
    try:
        counts = scan.run(now)
        MaintenanceRun.objects.create(scan=scan.name, ran_at=now, summary=dict(counts))
        runs = MaintenanceRun.objects.filter(scan=scan.name).order_by("-pk").values_list("pk", flat=True)
        MaintenanceRun.objects.filter(pk__in=list(runs[KEPT_RUNS:])).delete()
    except (DatabaseError, OSError) as error:
        return ScanReport(scan=scan.name, problem=f"{type(error).__name__}: {error}")
    return ScanReport(scan=scan.name, counts=counts)


def _put_to_sleep(now: datetime) -> Counts:
    """An active rule that was not hit for 30 days drops to dormant; coming into use counts as a hit."""
    why = f"no hit for {DORMANT_AFTER.days} days"
    return {
        "put to sleep": _lay_to_rest(Rule.objects.unused_since(now - DORMANT_AFTER), Status.ACTIVE, why=why, now=now)
    }


def _delete_old_candidates(now: datetime) -> Counts:
    ordinary = ~Q(source_type=SourceType.ANTI_PATTERN)
    with transaction.atomic():
        deleted = _delete_candidates(ordinary, days=CANDIDATE_DAYS, now=now)
        deleted += _delete_candidates(~ordinary, days=ANTI_PATTERN_DAYS, now=now)
        unmerged = _unmerge_orphans(now)["unmerged"] if deleted else 0
    return {"deleted": deleted, "unmerged": unmerged}


def _delete_candidates(kind: Q, *, days: int, now: datetime) -> int:
    """A candidate that was imported has its time from then on, however old it is."""
    end_of_day = make_aware(datetime.combine(localdate(now) - timedelta(days=days - 1), time.min))
    old = Rule.objects.filter(kind, status=Status.CANDIDATE, created_at__lt=end_of_day, status_since__lt=end_of_day)
    return old.delete()[1].get(Rule._meta.label, 0)


def _unmerge_orphans(now: datetime) -> Counts:
    why = "the rule that replaced it is not in use"
    return {"unmerged": _lay_to_rest(Rule.objects.orphaned(), Status.MERGED, why=why, now=now)}


def _delete_old_injections(now: datetime) -> Counts:
    return {"deleted": delete_in_batches(Injection.objects.filter(at__lt=now - INJECTION_AGE))}


def _delete_stale_shadow_hits(now: datetime) -> Counts:
    """Promotion counts projects, so of a project's old hits on a rule the latest is enough."""
    same_project = ShadowHit.objects.filter(rule=OuterRef("rule"), project_id=OuterRef("project_id"))
    old = ShadowHit.objects.filter(day__lt=localdate(now) - timedelta(days=SHADOW_HIT_AGE_DAYS))
    return {"deleted": delete_in_batches(old.filter(Exists(same_project.filter(day__gt=OuterRef("day")))))}


def _lay_to_rest(rules: RuleQuerySet, source: Status, *, why: str, now: datetime) -> int:
    return rules.move(source, Status.DORMANT, why=why, by=Mover.MAINTENANCE, now=now)


ROW_SCANS = (
    Scan(name="dormant", every=timedelta(days=7), run=_put_to_sleep),
    Scan(name="candidates", every=timedelta(days=30), run=_delete_old_candidates),
    Scan(name="unmerge", every=timedelta(days=90), run=_unmerge_orphans),
    Scan(name="injections", every=timedelta(days=7), run=_delete_old_injections),
    Scan(name="shadow hits", every=timedelta(days=30), run=_delete_stale_shadow_hits),
)
