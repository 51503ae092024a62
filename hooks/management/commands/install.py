"""`install`: registers the hooks with Claude Code, shows what that would change, or takes them out again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hooks.install import carry_out, claude_settings, hook_lines, plan_install, plan_uninstall
from hooks.registration import SettingsRefused

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from pathlib import Path

    from hooks.install import Change, Installed


class Command(BaseCommand):
    help = "Register Nokori's hooks in Claude Code's settings.json. Nothing else in that file is touched."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="show the change as a diff and write nothing")
        parser.add_argument("--uninstall", action="store_true", help="remove Nokori's hooks and nothing else")

    def handle(self, *_: Any, dry_run: bool, uninstall: bool, **__: Any) -> str:
        path = claude_settings(settings.NOKORI.claude_home)
        try:
            change = plan_uninstall(path) if uninstall else plan_install(path, commands=_commands())
            if dry_run:
                return change.diff or f"Claude Code: no changes needed in {path}"
            return _report(change, carry_out(change))
        except SettingsRefused as error:
            raise CommandError(f"{path} {error}. Nothing was written.") from error


def _commands() -> dict[str, str]:
    manage: Path = settings.BASE_DIR / "manage.py"
    return hook_lines(sys.executable, str(manage))


def _report(change: Change, found: Installed) -> str:
    rows = [f"  {row.key:<17} {row.timeout or '-':>3} s  {row.command}" for row in found.registrations]
    off = ["disableAllHooks is true in this file: the client runs no hook until you change that."]
    holds = "It holds these hooks of Nokori's:" if rows else "It holds no hook of Nokori's."
    if change.after is None and change.is_needed:
        return f"Claude Code: removed {change.path}, which held nothing else."
    return "\n".join([_headline(change), holds, *rows, *(off if found.are_hooks_off else [])])


def _headline(change: Change) -> str:
    if change.is_needed:
        return f"Claude Code: wrote {change.path}"
    return f"Claude Code: no changes needed in {change.path}"
