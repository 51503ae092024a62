"""What speaks for a rule: each observation is kept, and a candidate that has earned it becomes active.

In: a rule, what was observed, when. Out: whether that activated it. Row, score and move stand or fall together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F
from django.utils.timezone import localdate

from rules.lifecycle import EVIDENCE_POINTS, EvidenceKind, Mover, Status, has_earned_activation
from rules.models import Evidence, Rule

if TYPE_CHECKING:
    from datetime import datetime


def add_evidence(rule: Rule, kind: EvidenceKind, *, now: datetime, project_id: str = "", session_id: str = "") -> bool:
    """Keeps one observation and brings `rule` up to date; True when it made a candidate active."""
    points = EVIDENCE_POINTS[kind]
    with transaction.atomic():
        Rule.objects.filter(pk=rule.pk).update(evidence_score=F("evidence_score") + points)
        Evidence.objects.create(
            rule=rule,
            kind=kind,
            points=points,
            day=localdate(now),
            at=now,
            project_id=project_id,
            session_id=session_id,
        )
        rule.refresh_from_db(fields=["evidence_score", "status"])
        return _activate_if_earned(rule, now=now)


def _activate_if_earned(rule: Rule, *, now: datetime) -> bool:
    if rule.status != Status.CANDIDATE:
        return False
    days = rule.evidence.values("day").distinct().count()
    if not has_earned_activation(score=rule.evidence_score, days=days):
        return False
    why = f"{rule.evidence_score} points of evidence over {days} days"
    return rule.move_to(Status.ACTIVE, why=why, by=Mover.EVIDENCE, now=now)
