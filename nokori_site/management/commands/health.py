"""`health`: what is right, what is wrong, and what to do about it. Exit code 1 when something does not work."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from nokori_site.canary import check_canary
from nokori_site.finding import as_table
from nokori_site.health import examine, has_failed

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Check settings, data folder, database, published files, hooks and their registration."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")
        parser.add_argument(
            "--canary",
            action="store_true",
            help="also send one prompt through the `claude` command, and look for its rule in the transcript",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        findings = examine(settings.NOKORI_FOLDER, config=settings.NOKORI, now=timezone.now())
        if options["canary"]:
            findings += check_canary(settings.NOKORI_FOLDER, environ=os.environ, word=uuid4().hex)
        if options["json"]:
            rows = [asdict(finding) for finding in findings]
            self.stdout.write(
                json.dumps({"ok": not has_failed(findings), "findings": rows}, ensure_ascii=False, indent=2)
            )
        else:
            self.stdout.write(as_table(findings))
        if has_failed(findings):
            sys.exit(1)
