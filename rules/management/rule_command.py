"""What the rule verbs share: a refusal is a one-line CommandError, and JSON is whole in every terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management import BaseCommand, CommandError
from django.core.management.color import supports_color

from rules.refusals import RuleRefused

if TYPE_CHECKING:
    from argparse import ArgumentParser


class RuleCommand(BaseCommand):
    requires_system_checks = []

    def handle(self, *_args: Any, **options: Any) -> str:
        try:
            return self.answer(options)
        except RuleRefused as refusal:
            raise CommandError(str(refusal)) from refusal

    def answer(self, options: dict[str, Any]) -> str:
        """What the verb prints; raises RuleRefused."""
        raise NotImplementedError

    def add_json_option(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")

    def wants_colour(self, options: dict[str, Any]) -> bool:
        return self.stdout.isatty() and supports_color() and not options["no_color"]

    def as_json(self, record: object) -> str:
        """Readable JSON, with escapes where the terminal cannot show a character."""
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        text = json.dumps(record, indent=2, ensure_ascii=False)
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            return json.dumps(record, indent=2)
        return text
