"""What of the pool changed since it was published: one counter, and each changed rule's place in its count.

In: the ids of rules of which a published column changed, inside the transaction that changes them. Out: rows that
tell a publisher what to read again, whoever made the change, and `pool_changed` after the commit.
"""

from __future__ import annotations

from secrets import randbelow
from typing import TYPE_CHECKING

from django.db import models, transaction
from django.db.models import F, Q

from rules.signals import announce

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID


class PoolChange(models.Model):
    """The single row that counts the changes; published files carry the count that they were made at.

    `calibrated_at` is the count at which floors were computed last; changes before it are forgotten.
    """

    counter = models.PositiveBigIntegerField()
    calibrated_at = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="pool_change_has_one_row")]

    def __str__(self) -> str:
        return f"change {self.counter}"


class ChangedRule(models.Model):
    """The count at which a rule changed last; a rule that is gone keeps its row until floors are computed again."""

    rule_id = models.UUIDField(primary_key=True)
    counter = models.PositiveBigIntegerField(db_index=True)

    def __str__(self) -> str:
        return f"{self.rule_id} at {self.counter}"


def note_change(rule_ids: Collection[UUID]) -> None:
    """Has these rules published again. The counter's row stays locked until the commit, so that a publisher that
    sees a count sees every change up to it."""
    if not rule_ids:
        return
    counter = _advance()
    ChangedRule.objects.bulk_create(
        [ChangedRule(rule_id=rule_id, counter=counter) for rule_id in rule_ids],
        update_conflicts=True,
        unique_fields=["rule_id"],
        update_fields=["counter"],
    )
    announce(str(rule_id) for rule_id in rule_ids)


def pool_counter() -> int:
    """The present count; 0 in a database where nothing was ever changed."""
    return PoolChange.objects.values_list("counter", flat=True).first() or 0


def calibrated_at() -> int:
    return PoolChange.objects.values_list("calibrated_at", flat=True).first() or 0


def changed_since(counter: int, *, most: int) -> list[UUID]:
    """The rules that changed after this count, gone ones too; the first few when there are more."""
    rows = ChangedRule.objects.filter(counter__gt=counter)
    return list(rows.values_list("rule_id", flat=True)[:most])


def count_changed_since(counter: int) -> int:
    return ChangedRule.objects.filter(counter__gt=counter).count()


def remember_calibration(counter: int) -> None:
    """Floors were computed for the rules as they were at this count; nobody asks what changed before."""
    with transaction.atomic():
        PoolChange.objects.filter(id=1).update(calibrated_at=counter)
        ChangedRule.objects.filter(counter__lte=counter).delete()


def _advance() -> int:
    """Counts one change, from a random start: two databases never count alike, so that files which were published
    from another one are noticed."""
    start = randbelow(2**31)
    PoolChange.objects.get_or_create(id=1, defaults={"counter": start, "calibrated_at": start})
    PoolChange.objects.filter(id=1).update(counter=F("counter") + 1)
    return pool_counter()
