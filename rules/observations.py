"""What was observed about rules and done to them: evidence, shadow hits, injections, moves, maintenance.

Rows are only ever added; maintenance removes those that nothing counts any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from rules.columns import ID_LENGTH, one_of, word_field
from rules.lifecycle import EvidenceKind, Level, Mover, Status

if TYPE_CHECKING:
    from datetime import datetime


class Evidence(models.Model):
    """One observation that speaks for a rule. `day` is the local calendar day of `at`."""

    rule = models.ForeignKey("rules.Rule", models.CASCADE, related_name="evidence")
    kind = word_field(EvidenceKind)
    points = models.PositiveSmallIntegerField()
    day = models.DateField()
    at = models.DateTimeField()
    project_id = models.CharField(max_length=ID_LENGTH, blank=True)
    session_id = models.CharField(max_length=ID_LENGTH, blank=True)

    class Meta:
        constraints = [
            one_of("kind", EvidenceKind, name="evidence_kind_is_known"),
            models.CheckConstraint(condition=Q(points__gte=1), name="evidence_has_points"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} +{self.points} on {self.day}"


class ShadowHit(models.Model):
    """A prompt of another project would have met the rule; one a project and local calendar day."""

    rule = models.ForeignKey("rules.Rule", models.CASCADE, related_name="shadow_hits")
    project_id = models.CharField(max_length=ID_LENGTH)
    day = models.DateField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rule", "project_id", "day"], name="shadow_hit_once_a_day")]

    def __str__(self) -> str:
        return f"{self.project_id} on {self.day}"


class Injection(models.Model):
    """A rule that was written into an agent's context. `is_full`: with its rationale, not as the short line."""

    rule = models.ForeignKey("rules.Rule", models.CASCADE, related_name="injections")
    session_id = models.CharField(max_length=ID_LENGTH)
    prompt_key = models.CharField(max_length=ID_LENGTH, blank=True)
    level = word_field(Level)
    is_full = models.BooleanField(default=False)
    project_id = models.CharField(max_length=ID_LENGTH, blank=True)
    at = models.DateTimeField(db_index=True)
    note_id = models.CharField(max_length=ID_LENGTH)

    class Meta:
        indexes = [
            models.Index(fields=["session_id", "at"], name="injection_session_at"),
            models.Index(fields=["rule", "at"], name="injection_rule_at"),
            models.Index(fields=["at", "level"], name="injection_at_level"),  # all that a chart of them reads
            models.Index(fields=["project_id", "at", "level"], name="injection_project_at"),  # and a project's list
        ]
        constraints = [
            models.UniqueConstraint(fields=["note_id", "rule"], name="injection_once_a_note"),
            one_of("level", Level, name="injection_level_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.level} at {self.at}"


class StatusChangeQuerySet(models.QuerySet["StatusChange"]):
    def dismissals(self) -> StatusChangeQuerySet:
        """Steps by which a person retired a rule."""
        return self.filter(to_status=Status.ARCHIVED, by__in=[Mover.CHAT, Mover.COMMAND, Mover.PAGE])

    def counted_since(self, moment: datetime) -> models.QuerySet[StatusChange, tuple[str, str, int]]:
        """(from, to, how many); `from` is empty for the first step of a rule."""
        steps = self.filter(at__gte=moment).order_by()
        return steps.values_list("from_status", "to_status").annotate(number=models.Count("*"))


class StatusChange(models.Model):
    """One step of a rule's life: from, to, why, by whom, when. The first step of a rule has no `from_status`."""

    rule = models.ForeignKey("rules.Rule", models.CASCADE, related_name="history")
    from_status = word_field(Status, blank=True)
    to_status = word_field(Status)
    why = models.TextField()
    by = word_field(Mover)
    at = models.DateTimeField()

    objects = StatusChangeQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["to_status", "at"], name="status_change_to_at")]
        constraints = [
            one_of("to_status", Status, name="status_change_to_is_known"),
            one_of("by", Mover, name="status_change_by_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.from_status} to {self.to_status}"


class MaintenanceRun(models.Model):
    """One run of one maintenance scan and what it did."""

    scan = models.CharField(max_length=40)
    ran_at = models.DateTimeField()
    summary = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["scan", "-ran_at"], name="maintenance_scan_latest")]

    def __str__(self) -> str:
        return f"{self.scan} at {self.ran_at}"
