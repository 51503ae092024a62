"""Many rules by their names, moved one by one: each that can be is, and each that cannot says why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from rules.authoring import find_rule, move_by_hand, take_back_dismissal
from rules.refusals import RuleRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from rules.lifecycle import Mover, Status
    from rules.models import Rule


@dataclass
class MoveReport:
    """The short_ids of the rules that moved, and one sentence for each that could not."""

    moved: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def move_named(names: Iterable[str], target: Status, *, by: Mover, now: datetime) -> MoveReport:
    return _each(names, lambda rule: move_by_hand(rule, target, by=by, now=now))


def take_back_named(names: Iterable[str], *, by: Mover, now: datetime) -> MoveReport:
    return _each(names, lambda rule: take_back_dismissal(rule, by=by, now=now))


def _each(names: Iterable[str], move: Callable[[Rule], bool]) -> MoveReport:
    report = MoveReport()
    for name in names:
        try:
            rule = find_rule(name)
            if move(rule):
                report.moved.append(rule.short_id)
        except RuleRefused as refused:
            report.problems.append(refused.said(gettext))
    return report
