"""`show`: everything about one rule, its evidence and history included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rules.authoring import find_rule
from rules.management.rule_command import RuleCommand
from rules.management.rule_text import show_text
from rules.records import rule_record_with_past

if TYPE_CHECKING:
    from django.core.management import CommandParser


class Command(RuleCommand):
    help = "Show everything about one rule."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("short_id")
        self.add_json_option(parser)

    def answer(self, options: dict[str, Any]) -> str:
        rule = find_rule(options["short_id"])
        return self.as_json(rule_record_with_past(rule)) if options["json"] else show_text(rule)
