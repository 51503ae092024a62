"""`status`: how many rules there are, and what hooks and gate did lately."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from nokori_site.status import look_over, render

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Count rules, injections, gate answers, sessions and waiting notes."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, *_: Any, **options: Any) -> str:
        overview = look_over(settings.NOKORI_FOLDER, config=settings.NOKORI, now=timezone.now())
        return json.dumps(asdict(overview), ensure_ascii=False, indent=2) if options["json"] else render(overview)
