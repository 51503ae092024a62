"""What was really written into an agent's context, and what that means for the rules.

In: one prompt's answer, as its note tells it. Out: one row a rule, last_hit and hit_count. HOT counts as a hit, WARM
only refreshes last_hit; a dormant rule that would have been HOT wakes up, which counts as one. Recording the same
note twice changes nothing, and rules that are gone by then are passed over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q

from rules.lifecycle import Level, Mover, Status
from rules.models import Injection, Rule

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime
    from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class ShownRule:
    """A rule in an agent's context. level is hot or warm; is_full means with its rationale."""

    rule_id: UUID
    level: str
    is_full: bool


@dataclass(frozen=True, kw_only=True)
class PromptAnswer:
    """What one prompt was answered with. `reactivated` are dormant rules that matched as closely as HOT."""

    note_id: str
    session_id: str
    prompt_key: str
    project_id: str
    at: datetime
    shown: Sequence[ShownRule]
    reactivated: Collection[UUID] = ()


def record_injections(answer: PromptAnswer) -> int:
    """Files one prompt's answer and tells how many rules it newly recorded as shown."""
    with transaction.atomic():
        fresh = _not_yet_recorded(answer)
        Injection.objects.bulk_create([_row(answer, shown) for shown in fresh])
        _refresh_last_hit([shown.rule_id for shown in fresh], at=answer.at)
        _count_hits([shown.rule_id for shown in fresh if shown.level == Level.HOT])
        for rule in Rule.objects.filter(pk__in=answer.reactivated, status=Status.DORMANT):
            _wake(rule, at=answer.at)
    return len(fresh)


def shown_since(rule: Rule, since: datetime, *, session_id: str | None = None) -> bool:
    """Whether the rule was in a context since then, in that session or (None) in any."""
    rows = Injection.objects.filter(rule=rule, at__gte=since)
    if session_id is not None:
        rows = rows.filter(session_id=session_id)
    return rows.exists()


def _not_yet_recorded(answer: PromptAnswer) -> list[ShownRule]:
    known = Rule.objects.filter(pk__in=[shown.rule_id for shown in answer.shown])
    wanted = set(known.exclude(injections__note_id=answer.note_id).values_list("pk", flat=True))
    once = {shown.rule_id: shown for shown in answer.shown if shown.rule_id in wanted}
    return list(once.values())


def _row(answer: PromptAnswer, shown: ShownRule) -> Injection:
    return Injection(
        rule_id=shown.rule_id,
        level=shown.level,
        is_full=shown.is_full,
        note_id=answer.note_id,
        session_id=answer.session_id,
        prompt_key=answer.prompt_key,
        project_id=answer.project_id,
        at=answer.at,
    )


def _refresh_last_hit(rule_ids: Collection[UUID], *, at: datetime) -> None:
    """Notes may be filed out of order: last_hit never goes back."""
    older = Q(last_hit=None) | Q(last_hit__lt=at)
    Rule.objects.filter(older, pk__in=rule_ids).update(last_hit=at)


def _count_hits(rule_ids: Collection[UUID]) -> None:
    Rule.objects.filter(pk__in=rule_ids).update(hit_count=F("hit_count") + 1)


def _wake(rule: Rule, *, at: datetime) -> None:
    if rule.move_to(Status.ACTIVE, why="a prompt matched it as closely as HOT", by=Mover.PROMPT, now=at):
        _refresh_last_hit([rule.pk], at=at)
        _count_hits([rule.pk])
