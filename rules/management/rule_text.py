"""A rule in plain lines: the short form of `list` and the whole of `show`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.timezone import localtime

from rules.lifecycle import Scope
from rules.redaction import redact_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rules.models import Rule

LIST_TRIGGER = 60  # characters of a line in `list`
LIST_ACTION = 80
LABELLED = (
    "status_since", "source_type", "confidence", "evidence_score", "hit_count", "last_hit", "shadow_hit_count",
    "project_scope", "project_id", "superseded_by", "archived_reason", "manual_edit", "tool_pattern",
    "created_at", "updated_at", "activated_at",
)  # fmt: skip
SECTIONS = (
    ("trigger", ("trigger", "trigger_zh"), ("variants", "variants_zh")),
    ("behavior", ("behavior", "behavior_zh"), ()),
    ("action", ("action", "action_zh"), ()),
    ("rationale", ("rationale", "rationale_zh"), ()),
    ("quote", ("quote",), ()),
    ("excludes", (), ("excludes",)),
)


def list_text(rules: Iterable[Rule]) -> str:
    return "\n".join(line for rule in rules for line in _list_lines(rule))


def where(rule: Rule) -> str:
    return "global" if rule.project_scope == Scope.GLOBAL else rule.project_id


def one_line(text: str, *, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def show_text(rule: Rule) -> str:
    return "\n".join([*_labelled_lines(rule), *_section_lines(rule), *_past_lines(rule)])


def _list_lines(rule: Rule) -> Iterator[str]:
    yield (
        f"{rule.short_id}  {rule.status:<9} {rule.source_type:<12} {rule.confidence:<6} "
        f"hits={rule.hit_count:<3} scope={where(rule)}"
    )
    trigger, action = redact_all([rule.trigger, rule.action])
    yield f"  trigger: {one_line(trigger, most=LIST_TRIGGER)}"
    yield f"  action : {one_line(action, most=LIST_ACTION)}"


def _labelled_lines(rule: Rule) -> Iterator[str]:
    yield _labelled("id", str(rule.id))
    yield _labelled("short_id", rule.short_id)
    yield _labelled("status", rule.status)
    for name in LABELLED:
        yield _labelled(name, _shown(getattr(rule, name)))


def _section_lines(rule: Rule) -> Iterator[str]:
    for title, texts, lists in SECTIONS:
        lines = [line for name in texts for line in getattr(rule, name).splitlines()]
        lines += [f"- {entry}" for name in lists for entry in getattr(rule, name)]
        yield from _section(title, lines)
    yield from _section("search_terms", [f"{lang}: {', '.join(terms)}" for lang, terms in rule.search_terms.items()])


def _past_lines(rule: Rule) -> Iterator[str]:
    evidence = rule.evidence.order_by("at", "id")
    yield from _section(
        "evidence", [f"{row.day}  +{row.points} {row.kind}  {row.project_id}".rstrip() for row in evidence]
    )
    hits = rule.shadow_hits.order_by("day", "id")
    yield from _section("shadow hits", [f"{hit.day}  {hit.project_id}" for hit in hits])
    changes = rule.history.order_by("id")
    yield from _section(
        "history",
        [f"{_moment(row.at)}  {row.from_status or 'new'} > {row.to_status}  by {row.by}: {row.why}" for row in changes],
    )


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield f"{title}:"
        yield from (f"  {line}" for line in redact_all(lines))


def _labelled(name: str, value: str) -> str:
    return f"{name:<16} {value}".rstrip()


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return _moment(value)
    return "" if value is None else str(value)


def _moment(at: datetime) -> str:
    return localtime(at).strftime("%Y-%m-%d %H:%M:%S")
