"""What is wrong with hook lines of ours, in whatever file they stand; and the files that are not the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from hooks.hot.gate import matches_tool
from hooks.hot.tool_pattern import PatternTooSlow
from hooks.install import installed, says
from hooks.installing import STORE_ALIAS
from hooks.registration import SettingsRefused, line_words
from hooks.settings_files import other_files
from nokori_site.finding import Finding, State
from rules.fields import TOOL_MATCHER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooks.registration import Registration
    from hooks.settings_files import SettingsFile

HOOK_LINE_PROGRAMS = (0, 3)  # PYTHON -I -S MANAGE hook EVENT
TOOLS = tuple(TOOL_MATCHER.split("|"))
TAKE_OUT = gettext_noop("Take our entries out of that file.")
ASK = gettext_noop("That file is not yours to edit: ask whoever manages this machine.")


def check_other_files(
    project: Path, *, also: Iterable[Path] = (), managed_folders: tuple[str, ...] | None = None
) -> Iterator[Finding]:
    """Files that are not the ones that `install` edits now: hosts run the hooks of every file they find."""
    for file in other_files(project, also=also, managed_folders=managed_folders):
        try:
            yield from _judge(file)
        except (SettingsRefused, OSError):
            continue  # it is not ours to judge


def gone_programs(rows: Iterable[Registration]) -> list[str]:
    """Interpreters and scripts of our hook lines that do not exist any more, or never were a Python."""
    lines = [line_words(row.command) for row in rows]
    programs = {words[place] for words in lines for place in HOOK_LINE_PROGRAMS}
    return sorted(program for program in programs if STORE_ALIAS in program or not Path(program).exists())


def calls_what_is_gone(path: Path, programs: Iterable[str]) -> str:
    return _("%(file)s calls %(programs)s, which is not there") % {"file": path, "programs": ", ".join(programs)}


def keys_twice(rows: Iterable[Registration]) -> list[str]:
    keys = [row.key for row in rows]
    return sorted({key for key in keys if keys.count(key) > 1})


def tools_out_of_step(rows: Iterable[Registration], gate_matcher: str) -> tuple[list[str], list[str]]:
    """Where the two layers of matching disagree: tools that the gate waits for in vain, and tools that it never blocks."""
    matchers = [row.matcher for row in rows if row.key.lower() == "pretooluse"]
    heard = {tool for tool in TOOLS if any(not m or _fits(m, tool) for m in matchers)}
    blocked = {tool for tool in TOOLS if _fits(gate_matcher, tool)}
    return [tool for tool in TOOLS if tool in blocked - heard], [tool for tool in TOOLS if tool in heard - blocked]


def _fits(matcher: str, tool: str) -> bool:
    """One that takes too long fits no tool: a hook gives it up, too."""
    try:
        return matches_tool(matcher, tool)
    except PatternTooSlow:
        return False


def _judge(file: SettingsFile) -> Iterator[Finding]:
    name, remedy = f"{file.kind} hooks", _(ASK) if file.is_managed else _(TAKE_OUT)
    found = installed(file.path)
    if gone := gone_programs(found.registrations):
        yield Finding(name, State.FAIL, calls_what_is_gone(file.path, gone), remedy)
    elif found.registrations:
        detail = _("%(file)s registers Nokori as well: one prompt may call it twice") % {"file": file.path}
        yield Finding(name, State.WARN, detail, remedy)
    if file.is_managed and (found.are_hooks_off or says(file.path, "allowManagedHooksOnly")):
        detail = _("%(file)s lets no hook of your own run") % {"file": file.path}
        yield Finding(name, State.WARN, detail, remedy)
