"""A rule that takes the place of another: at once, or as soon as it is in use itself.

In: the old rule, the new one, how they relate. A rule that is in use is never taken away for one that is not: until the
new one is active the two stand as an unresolved pair. Both steps stand or fall together.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from django.db import models, transaction
from django.db.models import Q

from rules.columns import one_of, word_field
from rules.lifecycle import Mover, Status, is_allowed

if TYPE_CHECKING:
    from datetime import datetime

    from rules.models import Rule

IN_USE = (Status.ACTIVE, Status.DORMANT)


class Relation(StrEnum):
    """Why a new rule takes an old one's place."""

    BROADER = "broader"
    CONTRADICTS = "contradicts"


class UnresolvedPairQuerySet(models.QuerySet["UnresolvedPair"]):
    def standing(self) -> UnresolvedPairQuerySet:
        """Pairs of which the old rule is in use and the new one may still come into use."""
        return self.filter(Q(old__status__in=IN_USE), new__status=Status.CANDIDATE)


class UnresolvedPair(models.Model):
    """An old rule in use, and a new one that takes its place once it is active."""

    old = models.ForeignKey("rules.Rule", models.CASCADE, related_name="challengers")
    new = models.ForeignKey("rules.Rule", models.CASCADE, related_name="challenged")
    relation = word_field(Relation)
    at = models.DateTimeField()

    objects = UnresolvedPairQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["old", "new"], name="unresolved_pair_once"),
            one_of("relation", Relation, name="unresolved_pair_relation_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.new_id} {self.relation} {self.old_id}"


def supersede(old: Rule, new: Rule, *, relation: Relation, by: Mover, now: datetime) -> bool:
    """Retires the old rule for the new one; False when that waits until the new one is active, or cannot be."""
    if new.status != Status.ACTIVE and old.status in IN_USE:
        UnresolvedPair.objects.get_or_create(old=old, new=new, defaults={"relation": relation, "at": now})
        return False
    return _merge(old, new, relation=relation, by=by, now=now)


def resolve_pairs(new: Rule, *, now: datetime) -> None:
    """The new rule has become active: it takes every place that it was waiting for."""
    for pair in UnresolvedPair.objects.filter(new=new).select_related("old"):
        _merge(pair.old, new, relation=Relation(pair.relation), by=Mover.EVIDENCE, now=now)
        pair.delete()


def _merge(old: Rule, new: Rule, *, relation: Relation, by: Mover, now: datetime) -> bool:
    if old.pk == new.pk or not is_allowed(old.status, Status.MERGED):
        return False
    why = f"{new.short_id} {'says more' if relation == Relation.BROADER else 'says otherwise'}"
    with transaction.atomic():
        if not old.move_to(Status.MERGED, why=why, by=by, now=now):
            return False
        old.superseded_by = new
        old.save(update_fields=["superseded_by"])
    return True
