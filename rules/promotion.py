"""From one project to all of them: an active rule that prompts of three other projects have met becomes global.

In: a rule, its shadow hits. Out: whether it went global. Preferences stay where they are, and with promotion switched
off nothing goes global.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from rules.lifecycle import Mover, Scope, Status, can_be_promoted, has_earned_promotion
from rules.observations import StatusChange

if TYPE_CHECKING:
    from datetime import datetime

    from rules.models import Rule


def promote_if_earned(rule: Rule, *, now: datetime) -> bool:
    """Makes the rule global when enough projects have met it, and says so in its history."""
    is_possible = can_be_promoted(source_type=rule.source_type, status=rule.status, scope=rule.project_scope)
    if not (settings.NOKORI.promotion_enabled and is_possible):
        return False
    projects = sorted(set(rule.shadow_hits.values_list("project_id", flat=True)))
    if not has_earned_promotion(projects=len(projects)):
        return False
    with transaction.atomic():
        still_there = type(rule).objects.filter(pk=rule.pk, status=Status.ACTIVE, project_scope=Scope.PROJECT)
        if not still_there.update(project_scope=Scope.GLOBAL, updated_at=now):
            return False
        why = f"met in {', '.join(projects)}: global from now on"
        StatusChange.objects.create(
            rule=rule, from_status=rule.status, to_status=rule.status, why=why, by=Mover.EVIDENCE, at=now
        )
    rule.project_scope, rule.updated_at = Scope.GLOBAL, now
    return True
