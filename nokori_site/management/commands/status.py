"""`status`: how many rules there are, and what hooks and gate did lately."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from nokori_site.status import look_over, render
from rules.projects import project_id

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Count rules, injections, gate answers, sessions and waiting notes."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, *_: Any, **options: Any) -> str:
        overview = look_over(settings.NOKORI_FOLDER, config=settings.NOKORI, now=timezone.now())
        project = _project_here()
        if options["json"]:
            return json.dumps(asdict(overview) | {"project": project}, ensure_ascii=False, indent=2)
        return render(overview, project=project)


def _project_here() -> str:
    """Empty in a folder that was deleted meanwhile."""
    try:
        return project_id(str(Path.cwd()), isolate_worktrees=settings.NOKORI.isolate_worktrees)
    except FileNotFoundError:
        return ""
