"""`edit`: change a rule's words or its status. Names what changed; exit 1 when a value or a move is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from rules.authoring import edit_rule, find_rule, move_by_hand
from rules.drafts import hides_secret
from rules.lifecycle import Mover, Status
from rules.management.rule_command import RuleCommand
from rules.management.rule_options import add_rule_options, given_columns
from rules.records import rule_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.core.management import CommandParser

    from rules.drafts import Value
    from rules.models import Rule

STATUSES = (Status.ACTIVE, Status.DORMANT, Status.ARCHIVED)


class Command(RuleCommand):
    help = "Change a rule's words or its status."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("short_id")
        add_rule_options(parser)
        parser.add_argument("--status", choices=[status.value for status in STATUSES])
        self.add_json_option(parser)

    def answer(self, options: dict[str, Any]) -> str:
        rule = find_rule(options["short_id"])
        columns = given_columns(options, search_terms=rule.search_terms)
        with transaction.atomic():
            changed = _edit(rule, columns, status=options["status"])
        if options["json"]:
            return self.as_json({"changed": changed, "rule": rule_record(rule)})
        return _told(rule, changed, given=columns)


def _edit(rule: Rule, columns: Mapping[str, Value], *, status: str | None) -> list[str]:
    now = timezone.now()
    changed = list(edit_rule(rule, columns, now=now))
    if status and move_by_hand(rule, Status(status), by=Mover.COMMAND, now=now):
        changed.append("status")
    return changed


def _told(rule: Rule, changed: list[str], *, given: Mapping[str, Value]) -> str:
    if not changed:
        return (
            f"nothing to update: {rule.short_id} is {rule.status} already{', with these very words' if given else ''}"
        )
    hidden = "\n  A secret was taken out of its words." if hides_secret(given, rule_record(rule)) else ""
    return f"updated {rule.short_id}: {', '.join(changed)}{hidden}"
