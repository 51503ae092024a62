"""`hook EVENT`: the agent's hook, for those who start it through Django. manage.py goes there without Django."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from hooks.hot.client import EVENTS, run

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Answer one hook event of an agent: JSON on standard input, the reply on standard output."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", help=" or ".join(EVENTS))

    def handle(self, *_: Any, event: str, **__: Any) -> None:
        sys.exit(run([event]))
