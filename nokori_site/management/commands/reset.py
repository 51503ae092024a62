"""`reset`: an empty data folder; what was in it goes to a backup. Asks on a terminal, elsewhere it needs --force."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from nokori_site.reset import ResetRefused, reset

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Start anew: rules, settings, models and logs go to a backup in the data folder."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--force", action="store_true", help="do not ask")
        parser.add_argument("--no-backup", action="store_true", help="delete everything for good")

    def handle(self, *_: Any, **options: Any) -> str:
        folder = settings.NOKORI_FOLDER
        if not options["force"]:
            _ask(f"{'Delete' if options['no_backup'] else 'Move away'} all rules and settings in {folder.root}?")
        try:
            backup = reset(folder, now=timezone.localtime(), keep_backup=not options["no_backup"])
        except ResetRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        return f"reset; what was there is in {backup}" if backup else "reset; there is no backup"


def _ask(question: str) -> None:
    if not sys.stdin.isatty():
        raise CommandError("Nobody can be asked here: --force resets without asking.")
    if input(f"{question} Type yes: ").strip() != "yes":
        raise CommandError("Nothing was changed.")
