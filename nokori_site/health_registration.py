"""Checks of what the settings files of the agents' programs say about us: who calls which hook, by which program."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from hooks.hot.gate import matches_tool
from hooks.install import Installed, installed, is_plugin_enabled, settings_path
from hooks.install_record import PLUGIN, read_record
from hooks.platforms import CLAUDE, CODEX, CURSOR, PLATFORMS, Platform
from hooks.registration import SettingsRefused
from nokori_site.finding import Finding, State
from rules.fields import TOOL_MATCHER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooks.registration import Registration
    from nokori_site.config import Config
    from rules.disk import DataFolder

HOOK_LINE_PROGRAMS = (0, 3)  # PYTHON -I -S MANAGE hook EVENT
TOOLS = tuple(TOOL_MATCHER.split("|"))
DOUBLE_REMEDY = (
    "Have Cursor not include third-party hooks in its settings, or run: manage.py install --uninstall --cursor"
)
WIDEN = "Give the PreToolUse entry there the same matcher."
PROJECT_FILES = (".claude/settings*.json", ".cursor/hooks.json", ".codex/hooks.json", ".github/hooks/*.json")
PLUGIN_REMEDY = "Run: manage.py install --plugin"
STORE_ALIAS = "WindowsApps"  # Windows' python.exe there opens the store


@dataclass(frozen=True)
class Place:
    """One platform's settings file. `is_known`: `install` registered there and was not undone since."""

    platform: Platform
    path: Path
    is_known: bool

    @property
    def remedy(self) -> str:
        option = "" if self.platform is CLAUDE else f" --{self.platform.name}"
        return f"Run: manage.py install{option}"

    def find(self, state: State, detail: str, remedy: str = "") -> Finding:
        name = "registration" if self.platform is CLAUDE else f"registration {self.platform.name}"
        return Finding(name, state, detail, remedy)


def check_registrations(folder: DataFolder, *, config: Config) -> Iterator[Finding]:
    """A row for Claude Code and for each other platform that has to do with us; and whether two call us for one event."""
    known = read_record(folder).files
    homes = {CLAUDE: config.claude_home, CURSOR: config.cursor_home, CODEX: config.codex_home}
    calling: set[Platform] = set()
    for platform in PLATFORMS:
        place = Place(platform, settings_path(homes[platform], platform), is_known=platform.name in known)
        try:
            found = installed(place.path, platform=platform)
        except (SettingsRefused, OSError) as error:
            if platform is CLAUDE or place.is_known:
                remedy = "Correct that file; Nokori does not touch it until then."
                yield place.find(State.FAIL, f"{place.path} {error}", remedy)
            continue
        calling |= {platform} if found.registrations else set()
        if (platform is CLAUDE and not known) or place.is_known or found.registrations:
            yield _judge(found, place, gate_matcher=config.gate_matcher)
    if {CLAUDE, CURSOR} <= calling:
        yield Finding("double registration", State.WARN, "Claude Code and Cursor both call Nokori", DOUBLE_REMEDY)


def check_plugin(folder: DataFolder, *, config: Config) -> Iterator[Finding]:
    """Claude Code's plugin: only when it is enabled, or was prepared."""
    record = read_record(folder)
    path = settings_path(config.claude_home)
    try:
        is_enabled = is_plugin_enabled(path)
        is_registered = bool(installed(path).registrations)
    except (SettingsRefused, OSError):
        return  # the row of that file says so
    if is_enabled and PLUGIN not in record.files:
        yield Finding("plugin", State.FAIL, "enabled, but its hooks know no program and pass", PLUGIN_REMEDY)
    elif PLUGIN in record.files and not (Path(record.python).exists() and Path(record.manage).exists()):
        yield Finding("plugin", State.FAIL, f"its hooks call {record.python}, which is gone, and pass", PLUGIN_REMEDY)
    elif PLUGIN in record.files:
        yield Finding("plugin", State.OK, f"its hooks call {record.python}")
    if is_enabled and is_registered:
        detail = f"the plugin and {path} both call Nokori"
        yield Finding("double registration", State.WARN, detail, "Run: manage.py install --uninstall --claude")


def check_project_files(project: Path) -> Iterator[Finding]:
    """Files of a project that register us a second time: hosts run the hooks of every file they find."""
    for path in sorted(path for pattern in PROJECT_FILES for path in project.glob(pattern)):
        try:
            found = installed(path)
        except (SettingsRefused, OSError):
            continue  # it is not ours to judge
        if found.registrations:
            detail = f"{path} registers Nokori as well: one prompt may call it twice"
            yield Finding("project hooks", State.WARN, detail, "Take our entries out of that file.")


def _judge(found: Installed, place: Place, *, gate_matcher: str) -> Finding:
    """The first thing that is wrong, else that all is well."""
    problems = chain(_gaps(found, place), _faults(found.registrations, place, gate_matcher=gate_matcher))
    return next(problems, place.find(State.OK, f"all {len(found.registrations)} hooks in {place.path}"))


def _gaps(found: Installed, place: Place) -> Iterator[Finding]:
    """Why hooks are not called at all."""
    path, rows = place.path, found.registrations
    if not rows and place.is_known:
        yield place.find(State.WARN, f"hooks vanished: `install` wrote them into {path}", place.remedy)
    elif not rows:
        yield place.find(State.NOTE, f"no hook of Nokori's in {path}", place.remedy)
    if missing := [entry.key for entry in place.platform.entries if entry.key not in {row.key for row in rows}]:
        yield place.find(State.WARN, f"{', '.join(missing)} missing in {path}", place.remedy)
    if found.are_hooks_off:
        yield place.find(State.WARN, f"disableAllHooks in {path}: no hook runs", "Take it out of that file.")
    if found.is_off:
        yield place.find(State.NOTE, f"switched off in {path}", "Run: manage.py install --enable")


def _faults(rows: tuple[Registration, ...], place: Place, *, gate_matcher: str) -> Iterator[Finding]:
    """What is wrong with entries that are there."""
    path = place.path
    if gone := _gone_programs(rows):
        yield place.find(State.FAIL, f"{path} calls {gone[0]}, which is not there", place.remedy)
    if twice := _keys_twice(rows):
        yield place.find(State.WARN, f"{', '.join(twice)} registered more than once in {path}", place.remedy)
    if late := [row.key for row in rows if row.timeout is None]:
        yield place.find(State.WARN, f"no timeout for {', '.join(late)} in {path}", place.remedy)
    if unheard := _unheard_tools(rows, gate_matcher):
        yield place.find(State.NOTE, f"gate.matcher names {', '.join(unheard)}, for which {path} calls no hook", WIDEN)


def _gone_programs(rows: Iterable[Registration]) -> list[str]:
    """Interpreters and scripts of our hook lines that do not exist any more, or never were a Python."""
    lines = [shlex.split(row.command, posix=os.name != "nt") for row in rows]
    programs = {words[place].strip('"') for words in lines for place in HOOK_LINE_PROGRAMS}
    return sorted(program for program in programs if STORE_ALIAS in program or not Path(program).exists())


def _unheard_tools(rows: Iterable[Registration], gate_matcher: str) -> list[str]:
    """Tools that the gate may block and that no entry lets through to it: the two layers of matching disagree."""
    matchers = [row.matcher for row in rows if row.key.lower() == "pretooluse"]
    return [
        tool
        for tool in TOOLS
        if matches_tool(gate_matcher, tool) and not any(not m or matches_tool(m, tool) for m in matchers)
    ]


def _keys_twice(rows: Iterable[Registration]) -> list[str]:
    keys = [row.key for row in rows]
    return sorted({key for key in keys if keys.count(key) > 1})
