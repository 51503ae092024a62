"""A rule as plain data that any JSON writer can take: every column, and with its past."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from django.db.models import Model

    from rules.models import Rule


def rule_record(rule: Rule) -> dict[str, object]:
    """The columns of a rule by name; times in ISO 8601, a rule that it refers to by its full id."""
    return _columns(rule)


def rule_record_with_past(rule: Rule) -> dict[str, object]:
    """The same with evidence, shadow hits and status changes, each from the oldest on."""
    return rule_record(rule) | {
        "evidence": [_columns(row, but=("id", "rule")) for row in rule.evidence.order_by("at", "id")],
        "shadow_hits": [_columns(row, but=("id", "rule")) for row in rule.shadow_hits.order_by("day", "id")],
        "history": [_columns(row, but=("id", "rule")) for row in rule.history.order_by("at", "id")],
    }


def _columns(row: Model, *, but: tuple[str, ...] = ()) -> dict[str, object]:
    fields = [field for field in row._meta.concrete_fields if field.name not in but]
    return {field.name: _plain(getattr(row, field.attname)) for field in fields}


def _plain(value: object) -> object:
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
