"""What is remembered: rules, what speaks for them, where they were shown and how their status moved.

Every change of a published column, by whatever way, is noted in PoolChange and ChangedRule in the same transaction
and announced by `pool_changed` after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import GreaterThanOrEqual
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from rules import short_ids
from rules.columns import ID_LENGTH, one_of, word_field
from rules.lifecycle import Confidence, Mover, Scope, SourceType, Status, is_allowed, moves_by_hand
from rules.observations import Evidence as Evidence
from rules.observations import Injection as Injection
from rules.observations import MaintenanceRun as MaintenanceRun
from rules.observations import ShadowHit as ShadowHit
from rules.observations import StatusChange as StatusChange
from rules.pool import ChangedRule as ChangedRule
from rules.pool import PoolChange as PoolChange
from rules.pool import note_change
from rules.promotion import promote_if_earned
from rules.refusals import MoveRefused, gettext_noop
from rules.succession import UnresolvedPair as UnresolvedPair
from rules.succession import resolve_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

MOVED_AT_ONCE = 500  # rules in one statement
RETRIEVABLE = (Status.ACTIVE, Status.DORMANT)
PUBLISHED_FIELDS = frozenset(
    {
        "short_id", "status", "source_type", "confidence", "project_scope", "project_id",
        "trigger", "variants", "search_terms", "action", "rationale",
        "trigger_zh", "variants_zh", "action_zh", "rationale_zh", "excludes", "tool_pattern",
    },
)  # fmt: skip


class RuleQuerySet(models.QuerySet["Rule"]):
    """The named selections of rules, and writes that keep track of what has to be published."""

    def retrievable(self) -> RuleQuerySet:
        return self.filter(status__in=RETRIEVABLE)

    def candidates(self) -> RuleQuerySet:
        return self.filter(status=Status.CANDIDATE)

    def visible_in(self, project_id: str) -> RuleQuerySet:
        """Global rules and the project's own."""
        return self.filter(Q(project_scope=Scope.GLOBAL) | Q(project_id=project_id))

    def published(self) -> RuleQuerySet:
        """What a search may meet: retrievable rules, and candidates that another project's prompts can speak for."""
        candidates = Q(status=Status.CANDIDATE, project_scope=Scope.PROJECT, confidence=Confidence.HIGH)
        return self.filter(Q(status__in=RETRIEVABLE) | candidates & ~Q(source_type=SourceType.PREFERENCE))

    def unused_since(self, moment: datetime) -> RuleQuerySet:
        """Neither shown nor put in use nor made after that moment."""
        was_quiet = [Q(**{column: None}) | Q(**{f"{column}__lte": moment}) for column in ("last_hit", "activated_at")]
        return self.filter(*was_quiet, created_at__lte=moment)

    def orphaned(self) -> RuleQuerySet:
        """Merged rules whose successor is gone, asleep or archived."""
        has_none = Q(superseded_by=None) | Q(superseded_by__status__in=[Status.DORMANT, Status.ARCHIVED])
        return self.filter(has_none, status=Status.MERGED)

    def newest_first(self) -> RuleQuerySet:
        return self.order_by("-updated_at", "short_id")

    def in_project(self, project_id: str) -> RuleQuerySet:
        """The project's own rules alone."""
        return self.filter(project_scope=Scope.PROJECT, project_id=project_id)

    def counted_by(self, *columns: str) -> models.QuerySet[Rule, tuple[Any, ...]]:
        """(value, ..., how many) for each combination of values; of few-valued columns, which one index holds."""
        return self.order_by().values_list(*columns).annotate(number=models.Count("*"))

    def project_ids(self) -> models.QuerySet[Rule, str]:
        """Every project that a rule names, in order."""
        return self.exclude(project_id="").order_by("project_id").values_list("project_id", flat=True).distinct()

    def named_from(self, digits: str) -> RuleQuerySet:
        """Rules whose short_id begins with these digits, in order; a range, so that the index serves it."""
        return self.filter(short_id__gte=digits, short_id__lt=digits + "g").order_by("short_id")

    def update(self, **values: Any) -> int:
        if PUBLISHED_FIELDS.isdisjoint(values):
            return super().update(**values)
        with transaction.atomic(savepoint=False):
            changed = set(self.order_by().select_for_update().values_list("pk", flat=True))
            updated = super().update(**values)
            note_change(changed)
        return updated

    def bulk_create(self, objs: Iterable[Rule], *args: Any, **options: Any) -> list[Rule]:
        rules = list(objs)
        with transaction.atomic(savepoint=False):
            short_ids.name_many(rules, Rule.objects.values_list("short_id", flat=True))
            super().bulk_create(rules, *args, **options)
            written = {rule.pk for rule in rules}
            if options.get("update_conflicts"):
                written |= {
                    old.pk for old in self.in_bulk([rule.short_id for rule in rules], field_name="short_id").values()
                }
            note_change(written)
        return rules

    def move(self, source: Status, target: Status, *, why: str, by: Mover, now: datetime) -> int:
        """The one place where a status changes: of the rules that have that status still, with a row of history each.

        Counts them. Whether the move is allowed, and what follows from it, is for Rule.move_to to know.
        """
        changes = _columns_after(source, target, why=why, now=now)
        step = {"from_status": source, "to_status": target, "why": why, "by": by, "at": now}
        with transaction.atomic():
            rules = self.filter(status=source).order_by().select_for_update(of=("self",))
            moved = list(rules.values_list("pk", flat=True))
            for start in range(0, len(moved), MOVED_AT_ONCE):
                batch = moved[start : start + MOVED_AT_ONCE]
                Rule.objects.filter(pk__in=batch).update(**changes)
                StatusChange.objects.bulk_create([StatusChange(rule_id=key, **step) for key in batch])
        return len(moved)

    def delete(self) -> tuple[int, dict[str, int]]:
        with transaction.atomic(savepoint=False):
            gone = set(self.order_by().values_list("pk", flat=True))
            counts = super().delete()
            note_change(gone)
        return counts


class Rule(models.Model):
    """A correction that was learned: in which situation, and what to do then."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    short_id = models.CharField(max_length=short_ids.MAX_LENGTH, unique=True, editable=False)
    trigger = models.TextField()
    variants = models.JSONField(default=list, blank=True)
    search_terms = models.JSONField(default=dict, blank=True)
    behavior = models.TextField(blank=True)
    action = models.TextField()
    rationale = models.TextField(blank=True)
    trigger_zh = models.TextField(blank=True)
    variants_zh = models.JSONField(default=list, blank=True)
    behavior_zh = models.TextField(blank=True)
    action_zh = models.TextField(blank=True)
    rationale_zh = models.TextField(blank=True)
    excludes = models.JSONField(default=list, blank=True)
    tool_pattern = models.TextField(blank=True)
    source_type = word_field(SourceType, default=SourceType.CORRECTION)
    confidence = word_field(Confidence, default=Confidence.MEDIUM)
    status = word_field(Status, default=Status.CANDIDATE)
    status_since = models.DateTimeField()
    project_scope = word_field(Scope, default=Scope.PROJECT)
    project_id = models.CharField(max_length=ID_LENGTH, blank=True, db_index=True)
    superseded_by = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="supersedes")
    archived_reason = models.TextField(blank=True)
    hit_count = models.PositiveIntegerField(default=0)
    last_hit = models.DateTimeField(null=True, blank=True)
    shadow_hit_count = models.PositiveIntegerField(default=0)
    evidence_score = models.PositiveIntegerField(default=0)
    manual_edit = models.BooleanField(default=False)
    quote = models.TextField(blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    activated_at = models.DateTimeField(null=True, blank=True)

    objects = RuleQuerySet.as_manager()

    class Meta:
        base_manager_name = "objects"
        indexes = [
            models.Index(fields=["status", "updated_at"], name="rule_status_updated"),
            models.Index(fields=["status", "source_type", "project_scope", "project_id"], name="rule_words"),
        ]
        constraints = [
            one_of("source_type", SourceType, name="rule_source_type_is_known"),
            one_of("confidence", Confidence, name="rule_confidence_is_known"),
            one_of("status", Status, name="rule_status_is_known"),
            one_of("project_scope", Scope, name="rule_scope_is_known"),
            models.CheckConstraint(
                condition=GreaterThanOrEqual(Length("short_id"), short_ids.MIN_LENGTH), name="rule_short_id_is_long_enough"
            ),
            models.CheckConstraint(condition=~Q(trigger="") & ~Q(action=""), name="rule_says_when_and_what"),
            models.CheckConstraint(
                condition=Q(project_scope=Scope.GLOBAL.value) | ~Q(project_id=""), name="rule_of_a_project_names_it"
            ),
            models.CheckConstraint(
                condition=Q(status=Status.ARCHIVED.value) | Q(archived_reason=""), name="rule_reason_only_when_archived"
            ),
            models.CheckConstraint(condition=~Q(superseded_by=F("id")), name="rule_does_not_supersede_itself"),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.short_id} {self.trigger[:60]}"

    def save(self, *args: Any, **options: Any) -> None:
        with transaction.atomic(savepoint=False):
            if not self.short_id:
                self.short_id = short_ids.pick(self.id.hex, Rule.objects.values_list("short_id", flat=True))
            super().save(*args, **options)

    def move_to(self, target: Status, *, why: str, by: Mover, now: datetime) -> bool:
        """Changes the status along ALLOWED_MOVES, with a row of history.

        False when another process moved the rule first; raises MoveRefused for a move that is not allowed.
        """
        if not is_allowed(self.status, target):
            raise MoveRefused(
                gettext_noop("%(rule)s is %(status)s and can only become %(choice)s, not %(target)s."),
                rule=self.short_id,
                status=self.status,
                choice=tuple(map(str, moves_by_hand(self.status))),
                target=str(target),
            )
        source = Status(self.status)
        with transaction.atomic():
            if not Rule.objects.filter(pk=self.pk).move(source, target, why=why, by=by, now=now):
                return False
            for name, value in _columns_after(source, target, why=why, now=now).items():
                setattr(self, name, value)
            if target == Status.ACTIVE:
                promote_if_earned(self, now=now)
                resolve_pairs(self, now=now)
        return True


def _columns_after(source: Status, target: Status, *, why: str, now: datetime) -> dict[str, Any]:
    changes: dict[str, Any] = {"status": target, "status_since": now, "updated_at": now}
    changes["archived_reason"] = why if target == Status.ARCHIVED else ""
    if target == Status.ACTIVE:
        changes["activated_at"] = now
    if source == Status.MERGED:
        changes["superseded_by"] = None
    return changes


@receiver(post_save, sender=Rule)
def _note_saved(instance: Rule, update_fields: frozenset[str] | None, **_: object) -> None:
    if update_fields is None or not PUBLISHED_FIELDS.isdisjoint(update_fields):
        note_change([instance.pk])


@receiver(post_delete, sender=Rule)
def _note_deleted(instance: Rule, origin: object, **_: object) -> None:
    if not isinstance(origin, RuleQuerySet):  # that one notes all of its rules at once
        note_change([instance.pk])
