"""What checks advise, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _


def run(command: str) -> str:
    return _("Run: %(command)s") % {"command": command}
