"""Rules of one project that prompts of other projects have met: how far each is on its way to every project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count

from rules.lifecycle import PROMOTION_PROJECTS, Scope, Status
from rules.models import Rule, ShadowHit

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True)
class Progress:
    """`projects` of `needed` have met the rule; it goes global with the last one, once it is active."""

    rule: Rule
    projects: int
    needed: int = PROMOTION_PROJECTS

    @property
    def percent(self) -> int:
        return min(100, 100 * self.projects // self.needed)


def rules_on_the_way(most: int) -> Sequence[Progress]:
    """Those that are farthest first."""
    hits = ShadowHit.objects.filter(
        rule__project_scope=Scope.PROJECT, rule__status__in=[Status.CANDIDATE, Status.ACTIVE, Status.DORMANT]
    )
    counts = hits.order_by().values_list("rule").annotate(projects=Count("project_id", distinct=True))
    farthest = dict(counts.order_by("-projects", "rule")[:most])
    rules = Rule.objects.in_bulk(list(farthest))
    return [Progress(rule=rules[key], projects=projects) for key, projects in farthest.items()]
