"""Prompts of other projects that would have met a rule: what they say about it, though they were never shown it.

In: a rule that a prompt of another project matched, and how closely. Out: at most one shadow hit a project and local
day, for HOT and WARM alike; for HOT also evidence, which may put a candidate in use. Three projects make it global.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.timezone import localdate

from rules.evidence import add_evidence
from rules.lifecycle import EvidenceKind, Level, Scope, SourceType, Status
from rules.models import Rule, ShadowHit
from rules.promotion import promote_if_earned

if TYPE_CHECKING:
    from datetime import datetime

IN_SHADOW_POOL = (Status.CANDIDATE, Status.ACTIVE)


def record_shadow_hit(rule_id: str, *, project_id: str, level: str, now: datetime) -> bool:
    """Counts a match in another project's prompt; False when it does not count or was counted today already."""
    if not settings.NOKORI.promotion_enabled:
        return False
    with transaction.atomic():
        rule = Rule.objects.filter(pk=rule_id, status__in=IN_SHADOW_POOL).first()
        if rule is None or not _counts(rule, project_id):
            return False
        hit, is_new = ShadowHit.objects.get_or_create(rule=rule, project_id=project_id, day=localdate(now))
        if is_new:
            Rule.objects.filter(pk=rule.pk).update(shadow_hit_count=F("shadow_hit_count") + 1)
        if level == Level.HOT and not _is_witnessed(hit):
            add_evidence(rule, EvidenceKind.SHADOW_HOT, now=now, project_id=project_id)
        promote_if_earned(rule, now=now)
    return is_new


def _counts(rule: Rule, project_id: str) -> bool:
    is_elsewhere = rule.project_scope == Scope.PROJECT and project_id not in ("", rule.project_id)
    return is_elsewhere and rule.source_type != SourceType.PREFERENCE


def _is_witnessed(hit: ShadowHit) -> bool:
    """Whether this project's match of this day is in evidence already."""
    return hit.rule.evidence.filter(kind=EvidenceKind.SHADOW_HOT, project_id=hit.project_id, day=hit.day).exists()
