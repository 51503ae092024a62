"""`logs`: what hooks, settle and extraction wrote down, from all log files in the order of time."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand

from nokori_site.log_reading import LEVELS, follow, last_lines

if TYPE_CHECKING:
    from argparse import ArgumentParser

LOOK_SECONDS = 0.5


class Command(BaseCommand):
    help = "Show the newest lines of all log files; `log_level` decides what is written into them."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--level", choices=LEVELS, default="debug", help="least level that is shown")
        parser.add_argument("--lines", type=int, default=50, metavar="N", help="how many lines (default: 50)")
        parser.add_argument("--follow", action="store_true", help="go on with each new line, until Ctrl-C")

    def handle(self, *_: Any, level: str, lines: int, **options: Any) -> None:
        folder = settings.NOKORI_FOLDER
        for line in last_lines(folder, level=level, count=max(0, lines)):
            self.stdout.write(line)
        if options["follow"]:
            for line in follow(folder, level=level, wait=partial(time.sleep, LOOK_SECONDS)):
                self.stdout.write(line)
                self.stdout.flush()
