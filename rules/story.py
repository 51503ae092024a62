"""Everything that ever happened to one rule, newest first: steps, evidence, injections, shadow hits, as one list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from itertools import chain
from typing import TYPE_CHECKING, Literal

from django.db.models import Count
from django.utils.timezone import make_aware

from rules.lifecycle import ACTIVATION_DAYS, ACTIVATION_SCORE, PROMOTION_PROJECTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.models import Rule
    from rules.observations import Evidence, Injection, ShadowHit, StatusChange

MOST_OF_A_KIND = 20  # injections, say: a rule that is shown daily has thousands
MAX_CHAIN = 20  # successors of successors


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One thing that happened. `row` is what it is kept as."""

    at: datetime
    kind: Literal["step", "evidence", "injection", "shadow"]
    row: StatusChange | Evidence | Injection | ShadowHit


@dataclass(frozen=True, kw_only=True)
class Story:
    """A rule's past and what speaks for it. `hidden`: how many older moments are not told."""

    moments: Sequence[Moment]
    hidden: int
    shown: dict[str, int]
    evidence_days: int
    shadow_projects: Sequence[str]
    successors: Sequence[Rule]
    predecessors: Sequence[Rule]
    needed_score: int = ACTIVATION_SCORE
    needed_days: int = ACTIVATION_DAYS
    needed_projects: int = PROMOTION_PROJECTS


def tell(rule: Rule) -> Story:
    shown = dict(rule.injections.order_by().values_list("level").annotate(number=Count("*")))
    evidence = list(rule.evidence.order_by("-at", "-pk"))
    hits = list(rule.shadow_hits.order_by("-day", "-pk"))
    moments = sorted(
        chain(_newest(rule), _evidence(evidence), _shadows(hits)), key=lambda moment: moment.at, reverse=True
    )
    hidden = sum(shown.values()) - sum(moment.kind == "injection" for moment in moments)
    return Story(
        moments=moments,
        hidden=hidden + max(0, len(evidence) - MOST_OF_A_KIND) + max(0, len(hits) - MOST_OF_A_KIND),
        shown=shown,
        evidence_days=len({row.day for row in evidence}),
        shadow_projects=sorted({hit.project_id for hit in hits}),
        successors=_successors(rule),
        predecessors=list(rule.supersedes.order_by("short_id")[:MAX_CHAIN]),
    )


def _newest(rule: Rule) -> list[Moment]:
    steps = rule.history.order_by("-at", "-pk")
    injections = rule.injections.order_by("-at", "-pk")[:MOST_OF_A_KIND]
    return [
        *(Moment(at=step.at, kind="step", row=step) for step in steps),
        *(Moment(at=injection.at, kind="injection", row=injection) for injection in injections),
    ]


def _evidence(rows: list[Evidence]) -> list[Moment]:
    return [Moment(at=row.at, kind="evidence", row=row) for row in rows[:MOST_OF_A_KIND]]


def _shadows(rows: list[ShadowHit]) -> list[Moment]:
    return [
        Moment(at=make_aware(datetime.combine(row.day, time.min)), kind="shadow", row=row)
        for row in rows[:MOST_OF_A_KIND]
    ]


def _successors(rule: Rule) -> list[Rule]:
    """The rule that took its place, the one that took that one's, and so on; a circle ends where it began."""
    chain_of_rules: list[Rule] = []
    seen = {rule.pk}
    heir = rule.superseded_by
    while heir is not None and heir.pk not in seen and len(chain_of_rules) < MAX_CHAIN:
        chain_of_rules.append(heir)
        seen.add(heir.pk)
        heir = heir.superseded_by
    return chain_of_rules
