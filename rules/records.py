"""A rule as plain data that any JSON writer can take: every column, and with its past; secrets of old rows are gone."""

from __future__ import annotations

from datetime import date, datetime
from operator import attrgetter
from typing import TYPE_CHECKING
from uuid import UUID

from rules.redaction import redact_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import Model

    from rules.models import Rule


def rule_record(rule: Rule) -> dict[str, object]:
    """The columns of a rule by name; times in ISO 8601, a rule that it refers to by its full id."""
    return _columns(rule)


def rule_record_with_past(rule: Rule) -> dict[str, object]:
    """The same with evidence, shadow hits, status changes and the rules it waits to replace, from the oldest on."""
    return rule_record(rule) | {
        "evidence": _rows(rule.evidence.all(), by=("at", "pk")),
        "shadow_hits": _rows(rule.shadow_hits.all(), by=("day", "pk")),
        "history": _rows(rule.history.all(), by=("pk",)),  # as it happened, also when the clock went back
        "waits_to_replace": _rows(rule.challenged.all(), by=("pk",)),
    }


def _rows(rows: Iterable[Model], *, by: tuple[str, ...]) -> list[dict[str, object]]:
    """Sorted here, not by the database, so that rows fetched for many rules at once serve."""
    return [_columns(row, but=("id", "rule", "new")) for row in sorted(rows, key=attrgetter(*by))]


def _columns(row: Model, *, but: tuple[str, ...] = ()) -> dict[str, object]:
    fields = [field for field in row._meta.concrete_fields if field.name not in but]
    return {field.name: _plain(getattr(row, field.attname)) for field in fields}


def _plain(value: object) -> object:
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else redact_value(value)
