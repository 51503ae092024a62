"""`export`: all rules with their past as one JSON document, into a file or (`-` or --json alone) to stdout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from rules.management.rule_command import RuleCommand
from rules.refusals import RuleRefused
from rules.transfer.outgoing import export_rules, replacing
from rules.wording import counted

if TYPE_CHECKING:
    from django.core.management import CommandParser


class Command(RuleCommand):
    help = "Write all rules, with evidence and history, to a JSON file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", nargs="?", help="the file to write; - for stdout")
        parser.add_argument("--json", action="store_true", help="print JSON: the report, or without a path the rules")

    def answer(self, options: dict[str, Any]) -> str:
        path = options["path"] or ("-" if options["json"] else "")
        if not path:
            raise RuleRefused("Say where to: a path, or - for stdout.")
        if path == "-":
            return self._print_rules()
        try:
            with replacing(Path(path)) as file:
                count = export_rules(file, now=timezone.now())
        except OSError as error:
            raise RuleRefused(f"{path} cannot be written: {error.strerror or error}.") from error
        return (
            self.as_json({"exported": count, "path": path})
            if options["json"]
            else f"exported {counted(count, 'rule')} to {path}"
        )

    def _print_rules(self) -> str:
        self.stdout.ending = ""  # the pieces are not lines
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        export_rules(self.stdout, now=timezone.now(), ascii_only=encoding.lower() != "utf-8")
        return ""
