"""The dispatcher of every verb save `hook`."""

from __future__ import annotations

import os

from django.core.management import execute_from_command_line


def dispatch(argv: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "nokori_site.settings")
    execute_from_command_line(argv)
    return 0
