"""The program in figures: rules, what hooks and gate did in 24 hours, sessions, jobs, what waits, what is due."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.db.models import Count, Q
from django.utils.timezone import localtime

from extraction.models import ExtractJob
from hooks.models import AgentSession, GateDecision
from nokori_site.config import is_config_fresh
from nokori_site.embed_standing import look_at_embedding
from nokori_site.maintenance import all_scans
from nokori_site.version import VERSION
from retrieval.publish import is_stale
from rules.lifecycle import PROMOTION_PROJECTS, Scope, Status
from rules.maintenance import scan_times
from rules.models import Injection, MaintenanceRun, Rule, UnresolvedPair
from rules.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.models import Model, QuerySet

    from nokori_site.config import Config
    from rules.disk import DataFolder

REPORT_WINDOW = timedelta(hours=24)
MOST_PROMOTIONS = 10  # rules shown on their way to global
MOST_FAILURES = 5
MOST_PAIRS = 10
LABEL_WIDTH = 18
GATE_WORDS = {  # why an armed gate did what it did, for whoever never read its code
    "deny": "denied",
    "passed": "passed on retry",
    "expired": "passed: armed too long ago",
    "mismatch": "passed: armed for an earlier prompt",
    "sub_agent": "passed: in a sub-agent",
    "corrupt": "passed: marker unreadable",
}


@dataclass(frozen=True)
class Promotion:
    """A project's rule that other projects speak for; at `needed` of them it becomes global, once it is active."""

    short_id: str
    status: str
    shadow_hits: int
    projects: list[str]
    needed: int = PROMOTION_PROJECTS


@dataclass(frozen=True)
class ExtractFailure:
    """A job that waits for another try after an error, or that was given up."""

    transcript: str
    status: str
    attempts: int
    error: str


@dataclass(frozen=True)
class Unresolved:
    """A rule in use, and a candidate that says more or says otherwise and takes its place once it is active."""

    old: str
    new: str
    relation: str


@dataclass(frozen=True)
class Overview:
    """What `status` prints; the _24h figures count the last 24 hours."""

    version: str
    data_folder: str
    problems: list[str]
    rules: dict[str, int]
    source_types: dict[str, int]
    scopes: dict[str, int]
    injections_24h: dict[str, int]
    gate_24h: dict[str, int]
    sessions: dict[str, int]
    extract_mode: str
    extract_jobs: dict[str, int]
    extract_failures: list[ExtractFailure]
    unresolved: list[Unresolved]
    promotions: list[Promotion]
    notes: dict[str, int]
    published: dict[str, bool]
    embed: str
    maintenance_due: list[str]
    maintenance_ran_at: str | None


def look_over(folder: DataFolder, *, config: Config, now: datetime) -> Overview:
    scans = all_scans(folder, config=config)
    living = Rule.objects.exclude(status__in=[Status.MERGED, Status.ARCHIVED])
    lately = now - REPORT_WINDOW
    return Overview(
        version=VERSION,
        data_folder=folder.root,
        problems=list(config.problems),
        rules={status.value: 0 for status in Status} | _count(Rule.objects.all(), "status"),
        source_types=_count(living, "source_type"),
        scopes=_count(living, "project_scope"),
        injections_24h={"hot": 0, "warm": 0} | _count(Injection.objects.filter(at__gte=lately), "level"),
        gate_24h=_count(GateDecision.objects.filter(at__gte=lately), "answer"),
        sessions=_count_sessions(now - timedelta(seconds=config.session_idle_seconds)),
        extract_mode=config.extract_mode,
        extract_jobs=_count(ExtractJob.objects.all(), "status"),
        extract_failures=_extract_failures(),
        unresolved=_unresolved(),
        promotions=_promotions(),
        notes={"waiting": _count_notes(folder.spool_new), "unreadable": _count_notes(folder.spool_bad)},
        published={"config": is_config_fresh(folder), "rules": not is_stale()},
        embed=str(look_at_embedding(folder, config=config)),
        maintenance_due=[times.scan for times in scan_times(scans, now=now) if times.is_due],
        maintenance_ran_at=_last_run(),
    )


def render(overview: Overview, *, project: str = "") -> str:
    """project: the id of the folder that the reader is in."""
    rows = [
        ("Nokori", f"{overview.version} in {overview.data_folder}"),
        *(("configuration", problem) for problem in overview.problems),
        *([("this folder's id", project)] if project else []),
        ("rules", _listed(overview.rules)),
        ("by type", _listed(overview.source_types)),
        ("by scope", _listed(overview.scopes)),
        ("shown in 24 h", _listed(overview.injections_24h)),
        (
            "gate in 24 h",
            _listed({GATE_WORDS.get(answer, answer): count for answer, count in overview.gate_24h.items()}),
        ),
        ("sessions", _listed(overview.sessions)),
        ("extraction", f"{overview.extract_mode}; jobs: {_listed(overview.extract_jobs)}"),
        ("notes", _listed(overview.notes)),
        (
            "published",
            ", ".join(f"{name} {'fresh' if fresh else 'stale'}" for name, fresh in overview.published.items()),
        ),
        ("embeddings", overview.embed),
        ("maintenance", _upkeep(overview)),
        *_failure_rows(overview.extract_failures),
        *(("unresolved", f"{pair.new} {pair.relation} {pair.old}") for pair in overview.unresolved),
        *(("promotion", _progress(promotion)) for promotion in overview.promotions),
    ]
    return "\n".join(f"{label:<{LABEL_WIDTH}} {text}" for label, text in rows)


def _count(rows: QuerySet[Model], column: str) -> dict[str, int]:
    return dict(rows.order_by(column).values_list(column).annotate(number=Count("*")))


def _count_sessions(active_since: datetime) -> dict[str, int]:
    is_open = Q(ended_at=None)
    return AgentSession.objects.aggregate(
        open=Count("pk", filter=is_open),
        active=Count("pk", filter=is_open & Q(last_activity__gte=active_since)),
    )


def _extract_failures() -> list[ExtractFailure]:
    failed = ExtractJob.objects.exclude(last_error="").order_by("-updated_at")
    rows = failed.values_list("transcript_path", "status", "attempts", "last_error")
    return [ExtractFailure(*row) for row in rows[:MOST_FAILURES]]


def _unresolved() -> list[Unresolved]:
    pairs = UnresolvedPair.objects.standing().order_by("-at")
    rows = pairs.values_list("old__short_id", "new__short_id", "relation")
    return [Unresolved(*row) for row in rows[:MOST_PAIRS]]


def _promotions() -> list[Promotion]:
    rules = (
        Rule.objects.exclude(status__in=[Status.MERGED, Status.ARCHIVED])
        .filter(project_scope=Scope.PROJECT)
        .annotate(projects=Count("shadow_hits__project_id", distinct=True))
        .filter(projects__gt=0)
        .order_by("-projects", "-shadow_hit_count", "short_id")
        .prefetch_related("shadow_hits")
    )
    return [
        Promotion(
            short_id=rule.short_id,
            status=rule.status,
            shadow_hits=rule.shadow_hit_count,
            projects=sorted({hit.project_id for hit in rule.shadow_hits.all()}),
        )
        for rule in rules[:MOST_PROMOTIONS]
    ]


def _last_run() -> str | None:
    latest = MaintenanceRun.objects.order_by("-pk").first()
    return localtime(latest.ran_at).isoformat(timespec="seconds") if latest else None


def _count_notes(place: str) -> int:
    return sum(1 for _ in Path(place).glob("*.json"))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def _failure_rows(failures: list[ExtractFailure]) -> Iterator[tuple[str, str]]:
    for failure in failures:
        tries = counted(failure.attempts, "attempt")
        yield "not extracted", f"{failure.status}, {tries}: {failure.transcript}: {failure.error}"
    if any(failure.status in ExtractJob.GIVEN_UP for failure in failures):
        yield "", "`extract --retry` takes what was given up (failed, dead) again"


def _progress(promotion: Promotion) -> str:
    count = f"{len(promotion.projects)}/{promotion.needed} projects={','.join(promotion.projects)}"
    waits = "" if promotion.status == Status.ACTIVE else f" (once it is active: now {promotion.status})"
    return f"{promotion.short_id}: shadow_hits={promotion.shadow_hits} {count}{waits}"


def _upkeep(overview: Overview) -> str:
    due = f"due: {', '.join(overview.maintenance_due)}" if overview.maintenance_due else "nothing due"
    return f"{due}; last ran {overview.maintenance_ran_at or 'never'}"
