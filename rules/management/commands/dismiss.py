"""`dismiss`: retire a rule at once, whether it was shown lately or not. Exit 0 also when it was archived already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import timezone

from rules.authoring import dismiss_rule, find_rule
from rules.lifecycle import Mover
from rules.management.rule_command import RuleCommand
from rules.records import rule_record

if TYPE_CHECKING:
    from django.core.management import CommandParser


class Command(RuleCommand):
    help = "Retire a rule: it is neither shown nor gated any more."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("short_id")
        self.add_json_option(parser)

    def answer(self, options: dict[str, Any]) -> str:
        rule = find_rule(options["short_id"])
        was_in_place = dismiss_rule(rule, by=Mover.COMMAND, now=timezone.now())
        if options["json"]:
            return self.as_json({"dismissed": was_in_place, "rule": rule_record(rule)})
        if not was_in_place:
            return f"{rule.short_id} is archived already"
        return f"dismissed {rule.short_id}\n  `edit {rule.short_id} --status active` takes it back."
