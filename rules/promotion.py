"""Prompts of other projects that would have met a rule, and the step from one project to all of them.

In: a rule that a prompt of another project matched. Out: at most one shadow hit a project and local day; three
distinct projects make an active rule global, save a preference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F
from django.utils.timezone import localdate

from rules.evidence import add_evidence
from rules.lifecycle import EvidenceKind, Level, Scope, SourceType, can_be_promoted, has_earned_promotion
from rules.models import Rule, ShadowHit

if TYPE_CHECKING:
    from datetime import datetime


def record_shadow_hit(rule_id: str, *, project_id: str, level: str, now: datetime) -> bool:
    """Counts a match in another project's prompt; False when it does not count or was counted today already."""
    with transaction.atomic():
        rule = Rule.objects.filter(pk=rule_id).first()
        if rule is None or not _counts(rule, project_id):
            return False
        hit, is_new = ShadowHit.objects.get_or_create(rule=rule, project_id=project_id, day=localdate(now))
        if is_new:
            Rule.objects.filter(pk=rule.pk).update(shadow_hit_count=F("shadow_hit_count") + 1)
        if level == Level.HOT and not _is_witnessed(hit):
            add_evidence(rule, EvidenceKind.SHADOW_HOT, now=now, project_id=project_id)
        promote_if_earned(rule, now=now)
    return is_new


def promote_if_earned(rule: Rule, *, now: datetime) -> bool:
    """Makes the rule global when enough projects have met it."""
    if not can_be_promoted(source_type=rule.source_type, status=rule.status, scope=rule.project_scope):
        return False
    if not has_earned_promotion(projects=rule.shadow_hits.values("project_id").distinct().count()):
        return False
    rule.project_scope = Scope.GLOBAL
    rule.updated_at = now
    rule.save(update_fields=["project_scope", "updated_at"])
    return True


def _counts(rule: Rule, project_id: str) -> bool:
    is_elsewhere = rule.project_scope == Scope.PROJECT and project_id not in ("", rule.project_id)
    return is_elsewhere and rule.source_type != SourceType.PREFERENCE


def _is_witnessed(hit: ShadowHit) -> bool:
    """Whether this project's match of this day is in evidence already."""
    return hit.rule.evidence.filter(kind=EvidenceKind.SHADOW_HOT, project_id=hit.project_id, day=hit.day).exists()
