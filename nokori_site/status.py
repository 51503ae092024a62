"""The program in figures: rules, what hooks and gate did in 24 hours, sessions, jobs, what waits to be filed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.db.models import Count, Q

from extraction.models import ExtractJob
from hooks.models import AgentSession, GateDecision
from nokori_site.config import is_config_fresh
from nokori_site.version import VERSION
from retrieval.publish import is_stale
from rules.lifecycle import PROMOTION_PROJECTS, Scope, Status
from rules.models import Injection, Rule

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import Model, QuerySet

    from nokori_site.config import Config
    from rules.disk import DataFolder

REPORT_WINDOW = timedelta(hours=24)
MOST_PROMOTIONS = 10  # rules shown on their way to global
LABEL_WIDTH = 18


@dataclass(frozen=True)
class Promotion:
    """A project's rule that other projects speak for; at `needed` of them it becomes global."""

    short_id: str
    shadow_hits: int
    projects: int
    needed: int = PROMOTION_PROJECTS


@dataclass(frozen=True)
class Overview:
    """What `status` prints; the _24h figures count the last 24 hours."""

    version: str
    data_folder: str
    rules: dict[str, int]
    source_types: dict[str, int]
    scopes: dict[str, int]
    injections_24h: dict[str, int]
    gate_24h: dict[str, int]
    sessions: dict[str, int]
    extract_mode: str
    extract_jobs: dict[str, int]
    promotions: list[Promotion]
    notes: dict[str, int]
    published: dict[str, bool]


def look_over(folder: DataFolder, *, config: Config, now: datetime) -> Overview:
    living = Rule.objects.exclude(status__in=[Status.MERGED, Status.ARCHIVED])
    lately = now - REPORT_WINDOW
    return Overview(
        version=VERSION,
        data_folder=folder.root,
        rules={status.value: 0 for status in Status} | _count(Rule.objects.all(), "status"),
        source_types=_count(living, "source_type"),
        scopes=_count(living, "project_scope"),
        injections_24h={"hot": 0, "warm": 0} | _count(Injection.objects.filter(at__gte=lately), "level"),
        gate_24h=_count(GateDecision.objects.filter(at__gte=lately), "answer"),
        sessions=_count_sessions(now - timedelta(seconds=config.session_idle_seconds)),
        extract_mode=config.extract_mode,
        extract_jobs=_count(ExtractJob.objects.all(), "status"),
        promotions=_promotions(),
        notes={"waiting": _count_notes(folder.spool_new), "unreadable": _count_notes(folder.spool_bad)},
        published={"config": is_config_fresh(folder), "rules": not is_stale()},
    )


def render(overview: Overview) -> str:
    rows = [
        ("Nokori", f"{overview.version} in {overview.data_folder}"),
        ("rules", _listed(overview.rules)),
        ("by type", _listed(overview.source_types)),
        ("by scope", _listed(overview.scopes)),
        ("shown in 24 h", _listed(overview.injections_24h)),
        ("gate in 24 h", _listed(overview.gate_24h)),
        ("sessions", _listed(overview.sessions)),
        ("extraction", f"{overview.extract_mode}; jobs: {_listed(overview.extract_jobs)}"),
        ("notes", _listed(overview.notes)),
        (
            "published",
            ", ".join(f"{name} {'fresh' if fresh else 'stale'}" for name, fresh in overview.published.items()),
        ),
        *(("promotion", _progress(promotion)) for promotion in overview.promotions),
    ]
    return "\n".join(f"{label:<{LABEL_WIDTH}} {text}" for label, text in rows)


def _count(rows: QuerySet[Model], column: str) -> dict[str, int]:
    return dict(rows.order_by(column).values_list(column).annotate(Count("pk")))


def _count_sessions(active_since: datetime) -> dict[str, int]:
    is_open = Q(ended_at=None)
    return AgentSession.objects.aggregate(
        open=Count("pk", filter=is_open),
        active=Count("pk", filter=is_open & Q(last_activity__gte=active_since)),
    )


def _promotions() -> list[Promotion]:
    rows = (
        Rule.objects.retrievable()
        .filter(project_scope=Scope.PROJECT)
        .annotate(hits=Count("shadow_hits"), projects=Count("shadow_hits__project_id", distinct=True))
        .filter(hits__gt=0)
        .order_by("-projects", "-hits", "short_id")
        .values_list("short_id", "hits", "projects")
    )
    return [Promotion(*row) for row in rows[:MOST_PROMOTIONS]]


def _count_notes(place: str) -> int:
    return sum(1 for _ in Path(place).glob("*.json"))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def _progress(promotion: Promotion) -> str:
    return (
        f"{promotion.short_id}: {promotion.shadow_hits} shadow hits, {promotion.projects}/{promotion.needed} projects"
    )
