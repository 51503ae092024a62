"""What `install` says: of each settings file what a fresh look at it shows, and what to mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooks.install import kept_backup
from hooks.platforms import CLAUDE, CODEX, CURSOR

if TYPE_CHECKING:
    from collections.abc import Collection

    from hooks.install import Change, Installed
    from hooks.install_record import InstallRecord
    from hooks.platforms import Platform

DOUBLE_RUN = (
    "Cursor may run Claude Code's hooks as well as its own: then one prompt calls Nokori twice. Only the first call\n"
    "answers (hook_coalesce), but keep one path: in Cursor, switch off the setting that includes third-party hooks,\n"
    "and run `install --imports-off` once to say so."
)
TRUST = "Codex runs new hooks only after you have reviewed them: type /hooks in it once."
OFF = "They are switched off: `install --enable` has them work again."
ALL_OFF = "disableAllHooks is true there: the client runs no hook until you change that."
PLUGIN_PASSES = "The plugin's hooks have no program now: they pass."
PLUGIN_TWICE = "\nClaude Code's settings call Nokori as well: run `install --uninstall --claude`."


def headline(change: Change, platform: Platform) -> str:
    return f"{platform.title}: {'wrote' if change.is_needed else 'no changes needed in'} {change.path}"


def report(change: Change, found: Installed, platform: Platform) -> str:
    if change.after is None and change.is_needed:
        return f"{platform.title}: removed {change.path}, which held nothing else."
    rows = [f"  {row.key:<18} {row.timeout or '-':>3} s  {row.command}" for row in found.registrations]
    notes = [*([OFF] if found.is_off else []), *([ALL_OFF] if found.are_hooks_off else [])]
    if change.is_needed and (backup := kept_backup(change.path)):
        notes.append(f"The file as it was before `install` is kept as {backup}.")
    holds = "It holds these hooks of Nokori's:" if rows else "It holds no hook of Nokori's."
    return "\n".join([headline(change, platform), holds, *rows, *notes])


def warnings(platforms: Collection[Platform], record: InstallRecord) -> list[str]:
    """What to mind about the platforms that were installed just now."""
    is_double = {CLAUDE.name, CURSOR.name} <= record.files.keys() and not record.imports_off
    is_concerned = CLAUDE in platforms or CURSOR in platforms
    return [*([DOUBLE_RUN] if is_double and is_concerned else []), *([TRUST] if CODEX in platforms else [])]


def plugin_report(record: InstallRecord) -> str:
    twice = PLUGIN_TWICE if CLAUDE.name in record.files else ""
    return f"The plugin's hooks call {record.python} with {record.manage}.{twice}"
