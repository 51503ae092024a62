"""`install`: registers the hooks with the programs that run them, shows what that would change, or undoes it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hooks.install_report import PLUGIN_PASSES, headline, plugin_report, report, warnings
from hooks.installing import DISABLE, ENABLE, INSTALL, UNINSTALL, Installer, InstallRefused, settings_files
from hooks.platforms import PLATFORMS
from hooks.prefetch import prefetch

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping


class Command(BaseCommand):
    help = "Register Nokori's hooks, by default with Claude Code. Nothing else in the settings file is touched."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        for platform in PLATFORMS:
            parser.add_argument(
                f"--{platform.name}", action="store_true", help=f"{platform.title}: {platform.file_name}"
            )
        parser.add_argument(
            "--plugin", action="store_true", help="Claude Code's plugin: only note which program it calls"
        )
        parser.add_argument("--all", action="store_true", help="Claude Code and Cursor; to undo, every platform")
        parser.add_argument("--dry-run", action="store_true", help="show the change as a diff and write nothing")
        parser.add_argument(
            "--no-prefetch-embed", action="store_true", help="do not download the local embedding model"
        )
        parser.add_argument(
            "--imports-off",
            action="store_true",
            help="Cursor does not include third-party hooks (its setting): do not warn of double runs any more",
        )
        action = parser.add_mutually_exclusive_group()
        action.add_argument("--uninstall", action="store_true", help="remove Nokori's hooks and nothing else")
        action.add_argument("--disable", action="store_true", help="keep the hooks, but have them do nothing")
        action.add_argument("--enable", action="store_true", help="have the hooks work again")

    def handle(self, *_: Any, **options: Any) -> str:
        installer = Installer(
            folder=settings.NOKORI_FOLDER,
            files=settings_files(settings.NOKORI),
            python=sys.executable,
            manage=str(settings.NOKORI_MANAGE),
        )
        try:
            return _plugin(installer, options) if options["plugin"] else _run(installer, options)
        except InstallRefused as refusal:
            raise CommandError(str(refusal)) from refusal


def _plugin(installer: Installer, options: Mapping[str, Any]) -> str:
    if options[UNINSTALL]:
        installer.forget_plugin()
        return PLUGIN_PASSES
    return plugin_report(installer.note_plugin())


def _run(installer: Installer, options: Mapping[str, Any]) -> str:
    action = next((name for name in (UNINSTALL, DISABLE, ENABLE) if options[name]), INSTALL)
    named = [platform for platform in PLATFORMS if options[platform.name]]
    platforms = installer.choose(named, is_all=options["all"], action=action)
    changes = installer.plan(platforms, action=action)
    if options["dry_run"]:
        return "\n".join(change.diff or headline(change, platform) for platform, change in changes.items())
    done = installer.carry_out(changes, action=action, imports_off=options["imports_off"])
    lines = [
        (change.diff if options["verbosity"] > 1 else "") + report(change, done[platform], platform)
        for platform, change in changes.items()
    ]
    if action == INSTALL:
        lines += warnings(platforms, installer.record)
        lines += [] if options["no_prefetch_embed"] else _fetched()
    return "\n".join(lines)


def _fetched() -> list[str]:
    return list(prefetch(settings.NOKORI, folder=settings.NOKORI_FOLDER, environ=os.environ))
