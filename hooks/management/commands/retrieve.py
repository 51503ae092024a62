"""`retrieve "PROMPT"`: which rules a prompt would meet and why, without an agent. Changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hooks.explain import as_record, as_text, configured_lens, explain
from retrieval.lexical.segment import IndexUnreadable
from rules.models import Rule
from rules.projects import project_id

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Show which rules a prompt would meet, the text it would inject and whether the gate would block."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("prompt")
        parser.add_argument("--project", metavar="ID", help="project id; this folder's when it is left out")
        parser.add_argument("--json", action="store_true", help="print every number as JSON")

    def handle(self, *_: Any, prompt: str, project: str | None, **options: Any) -> str:
        if not prompt.strip():
            raise CommandError("The prompt is empty: say what to look up.")
        try:
            explanation = explain(
                prompt,
                folder=settings.NOKORI_FOLDER,
                project_id=_project_here() if project is None else project,
                lens=configured_lens(),
            )
        except IndexUnreadable as error:
            raise CommandError(str(error)) from error
        if project and not Rule.objects.in_project(project).exists():
            self.stderr.write(f"(no rule belongs to project {project}; this folder's id is {_project_here()})")
        if options["json"]:
            return json.dumps(as_record(explanation), indent=2, ensure_ascii=not _is_unicode(self.stdout))
        return as_text(explanation)


def _project_here() -> str:
    return project_id(str(Path.cwd()), isolate_worktrees=settings.NOKORI.isolate_worktrees)


def _is_unicode(stream: object) -> bool:
    return str(getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")
