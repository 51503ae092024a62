"""`install`: registers the hooks with the programs that run them, shows what that would change, or undoes it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hooks.install import (
    carry_out,
    drop_folder,
    hook_lines,
    kept_backup,
    plan_install,
    plan_switch,
    plan_uninstall,
    settings_path,
)
from hooks.install_record import PLUGIN, read_record, write_record
from hooks.platforms import CLAUDE, CODEX, CURSOR, PLATFORMS
from hooks.prefetch import prefetch
from hooks.registration import SettingsRefused

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Mapping

    from hooks.install import Change, Installed
    from hooks.platforms import Platform

DOUBLE_RUN = (
    "Cursor may run Claude Code's hooks as well as its own: then one prompt calls Nokori twice. Only the first call\n"
    "answers (hook_coalesce), but keep one path: in Cursor, switch off the setting that includes third-party hooks,\n"
    "and run `install --imports-off` once to say so."
)
TRUST = "Codex runs new hooks only after you have reviewed them: type /hooks in it once."
STORE_ALIAS = "WindowsApps"
ACTIONS = ("uninstall", "disable", "enable")


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

    def handle(self, *_: Any, dry_run: bool, verbosity: int, **options: Any) -> str:
        if options["plugin"]:
            return _note_plugin(is_gone=options["uninstall"])
        action = next((name for name in ACTIONS if options[name]), "install")
        if action == "install":
            _require_real_python(sys.executable)
        platforms = _chosen(options, action=action)
        changes = {platform: _plan(platform, action=action) for platform in platforms}  # all before any is written
        if dry_run:
            return "\n".join(change.diff or _headline(change, platform) for platform, change in changes.items())
        made = [platform.name for platform, change in changes.items() if not change.path.parent.exists()]
        done = {platform: _carry_out(change, platform) for platform, change in changes.items()}
        _record(done, action=action, made=made, imports_off=options["imports_off"])
        reports = [
            (change.diff if verbosity > 1 else "") + _report(change, done[platform], platform)
            for platform, change in changes.items()
        ]
        if action == "install":
            reports += [*_warnings(platforms), *_fetched(is_wished=not options["no_prefetch_embed"])]
        return "\n".join(reports)


def _require_real_python(python: str) -> None:
    """Windows' own python.exe opens the store where there is no Python, and moves with every update where there is one."""
    if STORE_ALIAS in python:
        raise CommandError(
            f"{python} is the Microsoft Store's name for Python, which hooks cannot rely on. Make an environment "
            "(python -m venv .venv) and run `install` with its python.exe. Nothing was written."
        )


def _chosen(options: Mapping[str, Any], *, action: str) -> list[Platform]:
    """Those that were named; else Claude Code, and to undo every one that was installed."""
    named = [platform for platform in PLATFORMS if options[platform.name]]
    if options["all"]:
        return [CLAUDE, CURSOR, *(p for p in named if p is CODEX)] if action == "install" else list(PLATFORMS)
    if named:
        return named
    recorded = read_record(settings.NOKORI_FOLDER).files
    installed = [platform for platform in PLATFORMS if platform.name in recorded]
    return installed if action != "install" and installed else [CLAUDE]


def _plan(platform: Platform, *, action: str) -> Change:
    path = _file_of(platform)
    try:
        if action == "install":
            return plan_install(path, commands=_commands(platform), platform=platform)
        if action == "uninstall":
            return plan_uninstall(path, platform=platform)
        return plan_switch(path, on=action == "enable", platform=platform)
    except SettingsRefused as error:
        raise CommandError(f"{path} {error}. Nothing was written.") from error


def _carry_out(change: Change, platform: Platform) -> Installed:
    try:
        return carry_out(change, platform=platform)
    except SettingsRefused as error:
        raise CommandError(f"{change.path} {error}. It was not written.") from error


def _note_plugin(*, is_gone: bool) -> str:
    """The plugin brings its own hooks: no settings file is touched."""
    record = read_record(settings.NOKORI_FOLDER).without([PLUGIN])
    if is_gone:
        write_record(settings.NOKORI_FOLDER, record)
        return "The plugin's hooks have no program now: they pass."
    files = {**record.files, PLUGIN: ""}
    new = replace(record, python=sys.executable, manage=str(_manage()), files=files)
    write_record(settings.NOKORI_FOLDER, new)
    both = "\nClaude Code's settings call Nokori as well: run `install --uninstall --claude`."
    return f"The plugin's hooks call {sys.executable} with {_manage()}.{both if CLAUDE.name in files else ''}"


def _record(done: Mapping[Platform, Installed], *, action: str, made: list[str], imports_off: bool) -> None:
    record = read_record(settings.NOKORI_FOLDER)
    if action == "uninstall":
        for platform in done:
            if platform.name in record.made:
                drop_folder(_file_of(platform))
        write_record(settings.NOKORI_FOLDER, record.without([platform.name for platform in done]))
        return
    ours = {platform: found for platform, found in done.items() if found.registrations}
    files = record.files | {platform.name: str(_file_of(platform)) for platform in ours}
    entries = record.entries | {platform.name: found.registrations for platform, found in ours.items()}
    is_new = action == "install"
    python, manage = (sys.executable, str(_manage())) if is_new else (record.python, record.manage)
    new = replace(
        record,
        python=python,
        manage=manage,
        files=files,
        entries=entries,
        made=(*record.made, *made) if is_new else record.made,
        imports_off=record.imports_off or imports_off,
    )
    write_record(settings.NOKORI_FOLDER, new)


def _fetched(*, is_wished: bool) -> list[str]:
    if not is_wished:
        return []
    return list(prefetch(settings.NOKORI, folder=settings.NOKORI_FOLDER, environ=os.environ))


def _file_of(platform: Platform) -> Path:
    config = settings.NOKORI
    homes = {CLAUDE: config.claude_home, CURSOR: config.cursor_home, CODEX: config.codex_home}
    return settings_path(homes[platform], platform)


def _commands(platform: Platform) -> dict[str, str]:
    return hook_lines(sys.executable, str(_manage()), platform=platform)


def _manage() -> Path:
    return Path(settings.NOKORI_MANAGE)


def _report(change: Change, found: Installed, platform: Platform) -> str:
    rows = [f"  {row.key:<18} {row.timeout or '-':>3} s  {row.command}" for row in found.registrations]
    notes = [
        *(["They are switched off: `install --enable` has them work again."] if found.is_off else []),
        *(
            ["disableAllHooks is true there: the client runs no hook until you change that."]
            if found.are_hooks_off
            else []
        ),
    ]
    holds = "It holds these hooks of Nokori's:" if rows else "It holds no hook of Nokori's."
    if change.after is None and change.is_needed:
        return f"{platform.title}: removed {change.path}, which held nothing else."
    if change.is_needed and (backup := kept_backup(change.path)):
        notes.append(f"The file as it was before `install` is kept as {backup}.")
    return "\n".join([_headline(change, platform), holds, *rows, *notes])


def _headline(change: Change, platform: Platform) -> str:
    return f"{platform.title}: {'wrote' if change.is_needed else 'no changes needed in'} {change.path}"


def _warnings(platforms: Iterable[Platform]) -> list[str]:
    """What to mind about these platforms."""
    record = read_record(settings.NOKORI_FOLDER)
    is_double = {CLAUDE.name, CURSOR.name} <= record.files.keys() and not record.imports_off
    is_concerned = CLAUDE in platforms or CURSOR in platforms
    return [*([DOUBLE_RUN] if is_double and is_concerned else []), *([TRUST] if CODEX in platforms else [])]
