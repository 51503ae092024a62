"""`add`: a rule by hand. Prints its short_id, its status and why it has it. Exit 1 when it is refused."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from django.core.management import CommandError
from django.utils import timezone

from rules.authoring import add_rule, find_twin
from rules.drafts import RuleDraft, hides_secret
from rules.lifecycle import Mover, Status, why_initial_status
from rules.management.rule_command import RuleCommand
from rules.management.rule_options import add_rule_options, given_columns, project_here, project_named
from rules.models import Rule
from rules.records import rule_record
from rules.refusals import RuleRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from django.core.management import CommandParser

    from rules.drafts import Value

REQUIRED = {"trigger": "In which situation? ", "action": "What to do then? "}


class Command(RuleCommand):
    help = "Add a rule by hand."

    def add_arguments(self, parser: CommandParser) -> None:
        add_rule_options(parser)
        parser.add_argument(
            "--project-id",
            default="",
            help="bind the rule to this project (. is this folder's); default: every project",
        )
        parser.add_argument("--force", action="store_true", help="add it even when a rule says the same already")
        parser.epilog = "Without --source-type and --confidence it is a correction of high confidence: in use at once, and it may gate."
        self.add_json_option(parser)

    def answer(self, options: dict[str, Any]) -> str:
        options |= _asked_for(options)
        columns = given_columns(options, search_terms={})
        draft = RuleDraft(**columns, project_id=project_named(options["project_id"]))  # type: ignore[arg-type]  # checked by add_rule
        if not options["force"] and (twin := find_twin(draft)):
            raise RuleRefused(
                f"Rule {twin.short_id} ({twin.status}) says the same; `edit {twin.short_id}` changes it, --force adds another."
            )
        rule = add_rule(draft, by=Mover.COMMAND, now=timezone.now())
        remarks = list(_remarks(rule, columns))
        if options["json"]:
            self.stderr.write("\n".join(remarks), ending="\n" if remarks else "")
            return self.as_json(rule_record(rule))
        return "\n".join([_told(rule), *(f"  {remark}" for remark in remarks)])


def _remarks(rule: Rule, given: Mapping[str, Value]) -> Iterator[str]:
    """What somebody may not have expected."""
    if hides_secret(given, rule_record(rule)):
        yield f"A secret was taken out of its words, for rules are shown to models: see `show {rule.short_id}`."
    if rule.project_id and not Rule.objects.in_project(rule.project_id).exclude(pk=rule.pk).exists():
        yield f"It is the first rule of project {rule.project_id}; this folder's id is {project_here()}."


def _asked_for(options: dict[str, Any]) -> dict[str, str]:
    """The words that a rule cannot do without, asked for on a terminal."""
    missing = [name for name in REQUIRED if options[name] is None]
    if not missing:
        return {}
    try:
        return {name: _answer(REQUIRED[name]) for name in missing}
    except EOFError:
        raise CommandError(f"{' and '.join('--' + name for name in missing)} must be given.") from None


def _answer(question: str) -> str:
    """What a person types; EOFError when there is none to ask."""
    if not sys.stdin.isatty():
        raise EOFError
    return input(question)


def _told(rule: Rule) -> str:
    why = why_initial_status(rule.source_type, rule.confidence)
    if rule.status == Status.ACTIVE:
        return f"added {rule.short_id} (active)\n  In use from the next prompt on: {why}."
    return (
        f"added {rule.short_id} (candidate)\n  Not shown to agents yet: {why}.\n"
        f"  `edit {rule.short_id} --status active` puts it in use now."
    )
