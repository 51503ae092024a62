"""`settle`: one housekeeping pass. Hooks start it detached; a second one ends at once."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from nokori_site.settle import settle


class Command(BaseCommand):
    help = "File the notes of the hooks, run due maintenance, publish what is stale."
    requires_system_checks = ()

    def handle(self, *_: Any, **__: Any) -> str:
        _leave_the_hosts_session()
        report = settle(settings.NOKORI_FOLDER, config=settings.NOKORI, clock=timezone.now)
        if report is None:
            return "Another settle is at work."
        if report.problems:
            raise CommandError(f"{report}; {report.problems[0]}")
        return str(report)


def _leave_the_hosts_session() -> None:
    """A host that ends kills what is in its session; does nothing for a job of a shell, nor where there are none."""
    with suppress(AttributeError, OSError):
        os.setsid()
