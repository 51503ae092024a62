"""`maintain`: every scan now, due or not, and with --scrub a look for secrets in what is stored.

Exit 1 when a scan failed, 2 when another process is at it.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from nokori_site.cli import EXIT_USAGE
from nokori_site.maintenance import MaintenanceBusy, maintain
from rules.maintenance import ScanReport
from rules.scrubbing import scrub_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser

LABEL_WIDTH = 18


class Command(BaseCommand):
    help = "Age rules, drop old rows and files, give space back; `settle` does the same when it is due."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print what each scan did as JSON")
        parser.add_argument("--scrub", action="store_true", help="also take secrets out of all stored rules")

    def handle(self, *_: Any, **options: Any) -> None:
        now = timezone.now()
        try:
            reports = maintain(settings.NOKORI_FOLDER, config=settings.NOKORI, now=now, only_due=False)
        except MaintenanceBusy as busy:
            raise CommandError(str(busy), returncode=EXIT_USAGE) from busy
        if options["scrub"]:
            reports.append(ScanReport(scan="secrets", counts={"rules": scrub_rules(now=now)}))
        self.stdout.write(_as_json(reports) if options["json"] else "\n".join(map(_line, reports)))
        failed = [report.scan for report in reports if report.problem]
        if failed:
            raise CommandError(f"Not done: {', '.join(failed)}.")


def _as_json(reports: list[ScanReport]) -> str:
    return json.dumps([asdict(report) for report in reports], ensure_ascii=False, indent=2)


def _line(report: ScanReport) -> str:
    counts = ", ".join(f"{count} {what}" for what, count in report.counts.items()) or "nothing to do"
    return f"{report.scan:<{LABEL_WIDTH}} {report.problem or counts}"
