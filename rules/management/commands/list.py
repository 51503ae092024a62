"""`list`: the rules in use, newest change first; --all and --status show others."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from rules.lifecycle import Status
from rules.management.rule_command import RuleCommand
from rules.management.rule_options import project_here, project_named
from rules.management.rule_text import list_text
from rules.models import Rule
from rules.records import rule_record

if TYPE_CHECKING:
    from django.core.management import CommandParser

    from rules.models import RuleQuerySet


TABLE_RULES = 200  # a longer table takes seconds to lay out


class Command(RuleCommand):
    help = "List rules: those in use (active and dormant), or as chosen."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="rules of every status")
        parser.add_argument("--project", metavar="ID", help="only this project's own rules; . is this folder's project")
        parser.add_argument("--status", action="append", choices=[status.value for status in Status])
        self.add_json_option(parser)

    def answer(self, options: dict[str, Any]) -> str:
        project = None if options["project"] is None else project_named(options["project"])
        rules = Rule.objects.all() if project is None else Rule.objects.in_project(project)
        chosen = _chosen(rules, options).newest_first()
        if options["json"]:
            return self.as_json([rule_record(rule) for rule in chosen.iterator()])
        count = chosen.count()
        if not count:
            return _nothing(rules.count(), project=project)
        if self.wants_colour(options) and count <= TABLE_RULES:
            return _on_terminal(chosen)
        return list_text(chosen.iterator())


def _chosen(rules: RuleQuerySet, options: dict[str, Any]) -> RuleQuerySet:
    if options["status"]:
        return rules.filter(status__in=options["status"])
    return rules if options["all"] else rules.retrievable()


def _on_terminal(rules: RuleQuerySet) -> str:
    from rules.management.rule_table import list_table  # noqa: PLC0415  rich takes a while to load

    return list_table(rules.iterator(), width=get_terminal_size().columns)


def _nothing(others: int, *, project: str | None) -> str:
    if others:
        return f"(no rules; --all shows {others} of other statuses)"
    return "(no rules)" if project is None else f"(no rules of project {project}; this folder's id is {project_here()})"
