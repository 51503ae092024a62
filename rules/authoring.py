"""Rules by hand or from extraction: add, find, edit, move, dismiss.

In: what somebody wrote and which rule they mean. Out: the changed rule, or RuleRefused with one sentence.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.db.models import Value as Literal
from django.db.models.functions import Lower

from rules.drafts import RuleDraft, Value, clean_columns
from rules.evidence import add_evidence
from rules.lifecycle import EvidenceKind, Mover, Scope, SourceType, Status, initial_status, why_initial_status
from rules.models import Rule, StatusChange
from rules.refusals import AmbiguousShortId, RuleNotFound
from rules.refusals import gettext_noop as _

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

MAX_NAMED = 5  # rules that an ambiguity names


def add_rule(draft: RuleDraft, *, by: Mover, now: datetime) -> Rule:
    """Makes the rule that a draft proposes; its first row of history says why it has the status it has."""
    columns = clean_columns(asdict(draft))
    status = initial_status(str(columns["source_type"]), str(columns["confidence"]))
    with transaction.atomic():
        rule = Rule.objects.create(
            **columns,
            status=status,
            status_since=now,
            project_scope=Scope.PROJECT if columns["project_id"] else Scope.GLOBAL,
            created_at=now,
            updated_at=now,
            activated_at=now if status == Status.ACTIVE else None,
        )
        why = why_initial_status(rule.source_type, rule.confidence)
        StatusChange.objects.create(rule=rule, to_status=status, why=why, by=by, at=now)
        if status == Status.ACTIVE:
            add_evidence(rule, EvidenceKind.USER_CORRECTION, now=now)
    return rule


def find_twin(draft: RuleDraft) -> Rule | None:
    """A rule for the same project that says the same in the same situation, and is not retired."""
    columns = clean_columns(asdict(draft))
    living = Rule.objects.exclude(status__in=[Status.MERGED, Status.ARCHIVED]).filter(project_id=columns["project_id"])
    words = living.annotate(situation=Lower("trigger"), answer=Lower("action"))
    return words.filter(situation=_lower(columns["trigger"]), answer=_lower(columns["action"])).first()


def _lower(text: Value) -> Lower:
    """By the database, as the columns are: LIKE has a limit that a long Chinese trigger is over."""
    return Lower(Literal(text))


def find_rule(name: str) -> Rule:
    """The rule with this short_id, an unmistakable beginning of it, or this full id.

    Raises RuleNotFound or AmbiguousShortId.
    """
    digits = name.strip().lower().replace("-", "")
    if not digits or not set(digits) <= set("0123456789abcdef"):
        raise RuleNotFound(_("%(name)s is not a short_id; `list --all` shows every rule's."), name=repr(name[:40]))
    if len(digits) == 32 and (rule := Rule.objects.filter(pk=UUID(digits)).first()):
        return rule
    matches = list(Rule.objects.named_from(digits)[: MAX_NAMED + 1])
    if len(matches) > 1:
        raise AmbiguousShortId(
            _("%(digits)s may be %(names)s; give more digits."), digits=digits, names=_named(matches)
        )
    if not matches:
        raise RuleNotFound(_("No rule has the short_id %(digits)s; `list --all` shows every rule's."), digits=digits)
    return matches[0]


def edit_rule(rule: Rule, changes: Mapping[str, Value], *, now: datetime) -> tuple[str, ...]:
    """Writes the columns that really change and names them; nothing is written when none does."""
    columns = clean_columns(changes)
    changed = tuple(name for name, value in columns.items() if getattr(rule, name) != value)
    if not changed:
        return ()
    for name in changed:
        setattr(rule, name, columns[name])
    rule.project_scope = _scope_after_edit(rule, changed)
    rule.manual_edit = True
    rule.updated_at = now
    rule.save(update_fields=[*changed, "project_scope", "manual_edit", "updated_at"])
    return changed


def _scope_after_edit(rule: Rule, changed: tuple[str, ...]) -> str:
    """A rule follows the project that it is given, and a preference never leaves its own."""
    if "project_id" in changed:
        return Scope.PROJECT if rule.project_id else Scope.GLOBAL
    if rule.source_type == SourceType.PREFERENCE and rule.project_id:
        return Scope.PROJECT
    return rule.project_scope


def move_by_hand(rule: Rule, target: Status, *, by: Mover, now: datetime) -> bool:
    """Moves a rule because a person says so; False when it is there already. Raises MoveRefused."""
    dismissed = "dismissed in a chat" if by == Mover.CHAT else "dismissed by hand"
    why = {Status.ACTIVE: "put in use by hand", Status.DORMANT: "laid to rest by hand"}.get(target, dismissed)
    while rule.status != target:
        if rule.move_to(target, why=why, by=by, now=now):
            return True
        rule.refresh_from_db()
    return False


def dismiss_rule(rule: Rule, *, by: Mover, now: datetime) -> bool:
    """Retires a rule for good; False when it is archived already."""
    return move_by_hand(rule, Status.ARCHIVED, by=by, now=now)


def take_back_dismissal(rule: Rule, *, by: Mover, now: datetime) -> bool:
    """Puts a retired rule back in use, or among the candidates if it was one; False when it is not retired."""
    if rule.status != Status.ARCHIVED:
        return False
    dismissal = rule.history.filter(to_status=Status.ARCHIVED).order_by("-at", "-pk").first()
    was_candidate = dismissal is not None and dismissal.from_status == Status.CANDIDATE
    target = Status.CANDIDATE if was_candidate else Status.ACTIVE
    return rule.move_to(target, why="dismissal taken back", by=by, now=now)


def _named(matches: list[Rule]) -> str:
    names = [rule.short_id for rule in matches[:MAX_NAMED]]
    return ", ".join(names) + (", ..." if len(matches) > MAX_NAMED else "")
