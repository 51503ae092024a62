"""One record of a transfer file: raw values go in, a rule with its past comes out, not yet saved.

Whatever is wrong is RuleRefused with the record's place and the field's name, as the file has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from django.utils.timezone import localdate

from rules.lifecycle import Mover, Scope, Status
from rules.models import Evidence, Rule, ShadowHit, StatusChange, UnresolvedPair
from rules.refusals import RuleRefused
from rules.transfer.columns import EVIDENCE_COLUMNS, HISTORY_COLUMNS, PAIR_COLUMNS, RULE_COLUMNS, SHADOW_HIT_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime
    from uuid import UUID

    from django.db.models import Model

    from rules.transfer.columns import Reader
    from rules.transfer.dialects import Dialect

    Row = TypeVar("Row", bound=Model)

REQUIRED = ("id", "trigger", "action")
EVIDENCE_REQUIRED = ("kind", "points", "at")
SHADOW_HIT_REQUIRED = ("project_id", "day")
HISTORY_REQUIRED = ("to_status", "why", "by", "at")
PAIR_REQUIRED = ("old", "relation", "at")
PAST = ("evidence", "shadow_hits", "history", "waits_to_replace")


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A rule as a file brings it, with what spoke for it and how its status moved. left_out: fields without a place."""

    rule: Rule
    evidence: list[Evidence]
    shadow_hits: list[ShadowHit]
    history: list[StatusChange]
    waits_to_replace: list[UnresolvedPair]
    left_out: frozenset[str]


def read_record(raw: object, *, place: str, dialect: Dialect, now: datetime) -> Arrival:
    """place: where the record stands, such as rules[12]. Raises RuleRefused."""
    if not isinstance(raw, Mapping):
        raise RuleRefused(f"{place} is not a record.")
    ours = dialect.translate(raw)
    names = {column: f"{place}.{dialect.place(column)}" for column in RULE_COLUMNS}
    rule = _rule(_read(ours, RULE_COLUMNS, names=names, required=REQUIRED), now=now)
    if rule.superseded_by_id == rule.id:
        raise RuleRefused(f"{names['superseded_by']} is the rule itself.")
    if not dialect.knows_hits and rule.status == Status.ACTIVE:
        rule.activated_at = now  # else all of them would fall asleep at once
    return Arrival(
        rule=rule,
        evidence=[_evidence(rule, values) for values in _entries(ours, "evidence", place=place, dialect=dialect)],
        shadow_hits=_shadow_hits(rule, _entries(ours, "shadow_hits", place=place, dialect=dialect)),
        history=_history(rule, _entries(ours, "history", place=place, dialect=dialect), source=dialect.source, now=now),
        waits_to_replace=_pairs(rule, _entries(ours, "waits_to_replace", place=place, dialect=dialect)),
        left_out=frozenset(ours) - set(RULE_COLUMNS) - set(PAST),
    )


def settle_successor(arrival: Arrival, *, known: Collection[UUID], dialect: Dialect) -> None:
    """Lets the rule name its successor, and rules that it waits to replace, only when those are there too."""
    rule = arrival.rule
    arrival.waits_to_replace[:] = [pair for pair in arrival.waits_to_replace if pair.old_id in known]
    if rule.superseded_by_id not in known:
        rule.superseded_by_id = None
    elif dialect.replaced_is_merged and rule.status == Status.ARCHIVED:
        rule.status, rule.archived_reason = Status.MERGED, ""
        arrival.history[-1].to_status = Status.MERGED


def _rule(values: dict[str, Any], *, now: datetime) -> Rule:
    created_at = values.setdefault("created_at", now)
    values.setdefault("updated_at", created_at)
    values.setdefault("status_since", now)  # so that a candidate has its time here, however old it is
    values["superseded_by_id"] = values.pop("superseded_by", None)
    rule = Rule(**values)
    if not rule.project_id:
        rule.project_scope = Scope.GLOBAL  # as `add` has it; a rule of no project would be met by nobody
    if rule.status != Status.ARCHIVED:
        rule.archived_reason = ""
    return rule


def _evidence(rule: Rule, values: dict[str, Any]) -> Evidence:
    return Evidence(rule=rule, **{"day": localdate(values["at"]), **values})


def _shadow_hits(rule: Rule, entries: list[dict[str, Any]]) -> list[ShadowHit]:
    """At most one a project and day, whatever the file says."""
    once = {(values["project_id"], values["day"]): values for values in entries}
    return [ShadowHit(rule=rule, **values) for values in once.values()]


def _pairs(rule: Rule, entries: list[dict[str, Any]]) -> list[UnresolvedPair]:
    """At most one with each other rule."""
    once = {values.pop("old"): values for values in entries}
    return [UnresolvedPair(new=rule, old_id=old, **values) for old, values in once.items() if old != rule.pk]


def _history(rule: Rule, entries: list[dict[str, Any]], *, source: str, now: datetime) -> list[StatusChange]:
    if entries:
        return [StatusChange(rule=rule, **values) for values in entries]
    return [StatusChange(rule=rule, to_status=rule.status, why=f"imported from {source}", by=Mover.COMMAND, at=now)]


PAST_COLUMNS: dict[str, tuple[dict[str, Reader], tuple[str, ...]]] = {
    "evidence": (EVIDENCE_COLUMNS, EVIDENCE_REQUIRED),
    "shadow_hits": (SHADOW_HIT_COLUMNS, SHADOW_HIT_REQUIRED),
    "history": (HISTORY_COLUMNS, HISTORY_REQUIRED),
    "waits_to_replace": (PAIR_COLUMNS, PAIR_REQUIRED),
}


def _entries(ours: Mapping[str, Any], part: str, *, place: str, dialect: Dialect) -> list[dict[str, Any]]:
    """The checked rows of one part of a rule's past."""
    listed = ours.get(part)
    where = f"{place}.{dialect.place(part)}"
    if listed is None:
        return []
    if not isinstance(listed, list):
        raise RuleRefused(f"{where} is not a list.")
    columns, required = PAST_COLUMNS[part]
    rows = []
    for number, entry in enumerate(listed):
        if not isinstance(entry, Mapping):
            raise RuleRefused(f"{where}[{number}] is not a record.")
        names = {column: f"{where}[{number}].{dialect.names.get(f'{part}.{column}', column)}" for column in columns}
        rows.append(_read(entry, columns, names=names, required=required))
    return rows


def _read(
    raw: Mapping[str, Any], columns: Mapping[str, Reader], *, names: Mapping[str, str], required: tuple[str, ...]
) -> dict[str, Any]:
    """The given columns with checked values; null counts as not given."""
    values = {}
    for column, reader in columns.items():
        value = raw.get(column)
        if value is not None:
            values[column] = reader(names[column], value)
        elif column in required:
            raise RuleRefused(f"{names[column]} is missing.")
    return values
