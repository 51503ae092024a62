"""Checks of what the settings files of the agents' programs say about us: who calls which hook, by which program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from hooks.install import Installed, installed, is_plugin_enabled, settings_path
from hooks.install_record import PLUGIN, read_record
from hooks.installing import settings_files
from hooks.platforms import CLAUDE, CURSOR, PLATFORMS, Platform
from hooks.registration import SettingsRefused
from nokori_site.finding import Finding, State
from nokori_site.health_lines import calls_what_is_gone, gone_programs, keys_twice, tools_out_of_step
from nokori_site.remedies import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooks.registration import Registration
    from nokori_site.config import Config
    from rules.disk import DataFolder

DOUBLE_REMEDY = gettext_noop(
    "Have Cursor not include third-party hooks in its settings and run: manage.py install --imports-off; "
    "or run: manage.py install --uninstall --cursor"
)
WIDEN = gettext_noop("Give gate.matcher and the PreToolUse entry there the same tools.")
CHANGED_REMEDY = gettext_noop("%(remedy)s. Run it again to hold on to what is there now, or put it back.")
PLUGIN_COMMAND = "manage.py install --plugin"


@dataclass(frozen=True)
class Place:
    """One platform's settings file. `is_known`: `install` registered there and was not undone since; `recorded`: how."""

    platform: Platform
    path: Path
    is_known: bool
    recorded: tuple[Registration, ...] = ()

    @property
    def remedy(self) -> str:
        option = "" if self.platform is CLAUDE else f" --{self.platform.name}"
        return run(f"manage.py install{option}")

    def find(self, state: State, detail: str, remedy: str = "") -> Finding:
        name = "registration" if self.platform is CLAUDE else f"registration {self.platform.name}"
        return Finding(name, state, detail, remedy)


def check_registrations(folder: DataFolder, *, config: Config) -> Iterator[Finding]:
    """Rows for Claude Code and for each other platform that has to do with us; and whether two call us for one event."""
    record = read_record(folder)
    files = settings_files(config)
    calling: set[Platform] = set()
    for platform in PLATFORMS:
        is_known = platform.name in record.files
        place = Place(platform, files[platform], is_known, record.entries.get(platform.name, ()))
        try:
            found = installed(place.path, platform=platform)
        except (SettingsRefused, OSError) as error:
            if platform is CLAUDE or place.is_known:
                remedy = _("Correct that file; Nokori does not touch it until then.")
                yield place.find(State.FAIL, f"{place.path} {error}", remedy)
            continue
        calling |= {platform} if found.registrations else set()
        if (platform is CLAUDE and not record.files) or place.is_known or found.registrations:
            yield from _judge(found, place, gate_matcher=config.gate_matcher)
    if {CLAUDE, CURSOR} <= calling and not record.imports_off:
        detail = _("Claude Code and Cursor both call Nokori")
        yield Finding("double registration", State.WARN, detail, _(DOUBLE_REMEDY))


def other_places(folder: DataFolder, *, config: Config) -> set[Path]:
    """Settings files that `install` wrote under another environment, or that hosts take by default, and does not edit now."""
    edited = set(settings_files(config).values())
    recorded = {Path(path) for path in read_record(folder).files.values() if path}
    usual = {settings_path(f"~/.{platform.name}", platform) for platform in PLATFORMS}
    return (recorded | usual) - edited


def check_plugin(folder: DataFolder, *, config: Config) -> Iterator[Finding]:
    """Claude Code's plugin: only when it is enabled, or was prepared."""
    record = read_record(folder)
    path = settings_path(config.claude_home)
    try:
        is_enabled = is_plugin_enabled(path)
        is_registered = bool(installed(path).registrations)
    except (SettingsRefused, OSError):
        return  # the row of that file says so
    gone = [program for program in (record.python, record.manage) if not Path(program).exists()]
    if is_enabled and PLUGIN not in record.files:
        detail = _("enabled, but its hooks know no program and pass")
        yield Finding("plugin", State.FAIL, detail, run(PLUGIN_COMMAND))
    elif PLUGIN in record.files and gone:
        detail = _("its hooks call %(program)s, which is gone, and pass") % {"program": gone[0]}
        yield Finding("plugin", State.FAIL, detail, run(PLUGIN_COMMAND))
    elif PLUGIN in record.files:
        yield Finding("plugin", State.OK, _("its hooks call %(program)s") % {"program": record.python})
    if is_enabled and is_registered:
        detail = _("the plugin and %(file)s both call Nokori") % {"file": path}
        yield Finding("double registration", State.WARN, detail, run("manage.py install --uninstall --claude"))


def _judge(found: Installed, place: Place, *, gate_matcher: str) -> Iterator[Finding]:
    """Each thing that is wrong, else that all is well; then how the two layers of matching agree."""
    counts = {"count": len(found.registrations), "file": place.path}
    problems = [*_gaps(found, place), *_faults(found.registrations, place)]
    yield from problems or [place.find(State.OK, _("all %(count)d hooks in %(file)s") % counts)]
    if any(row.key.lower() == "pretooluse" for row in found.registrations):
        yield _compare_matchers(found.registrations, place, gate_matcher=gate_matcher)


def _gaps(found: Installed, place: Place) -> Iterator[Finding]:
    """Why hooks are not called at all."""
    path, rows = place.path, found.registrations
    if not rows and place.is_known:
        yield place.find(
            State.WARN, _("hooks vanished: `install` wrote them into %(file)s") % {"file": path}, place.remedy
        )
    elif not rows:
        yield place.find(State.NOTE, _("no hook of Nokori's in %(file)s") % {"file": path}, place.remedy)
    elif missing := [entry.key for entry in place.platform.entries if entry.key not in {row.key for row in rows}]:
        facts = {"names": ", ".join(missing), "file": path}
        yield place.find(State.WARN, _("%(names)s missing in %(file)s") % facts, place.remedy)
    if found.are_hooks_off:
        yield place.find(
            State.WARN, _("disableAllHooks in %(file)s: no hook runs") % {"file": path}, _("Take it out of that file.")
        )
    if found.is_off:
        yield place.find(State.NOTE, _("switched off in %(file)s") % {"file": path}, run("manage.py install --enable"))


def _faults(rows: tuple[Registration, ...], place: Place) -> Iterator[Finding]:
    """What is wrong with entries that are there."""
    path = place.path
    if gone := gone_programs(rows):
        yield place.find(State.FAIL, calls_what_is_gone(path, gone), place.remedy)
    if twice := keys_twice(rows):
        facts = {"names": ", ".join(twice), "file": path}
        yield place.find(State.WARN, _("%(names)s registered more than once in %(file)s") % facts, place.remedy)
    if late := [row.key for row in rows if row.timeout is None]:
        facts = {"names": ", ".join(late), "file": path}
        yield place.find(State.WARN, _("no timeout for %(names)s in %(file)s") % facts, place.remedy)
    if changed := list(_changes(rows, place.recorded)):
        detail = _("changed in %(file)s since `install`: %(names)s") % {"file": path, "names": ", ".join(changed)}
        yield place.find(State.NOTE, detail, _(CHANGED_REMEDY) % {"remedy": place.remedy})


def _changes(rows: tuple[Registration, ...], recorded: tuple[Registration, ...]) -> Iterator[str]:
    """What differs between an entry that is there and the one of its key that `install` left; a missing one is no change."""
    then = {row.key: row for row in recorded}
    for row in rows:
        for name in ("command", "matcher", "timeout"):
            if row.key in then and getattr(row, name) != getattr(then[row.key], name):
                yield f"{name} of {row.key}"


def _compare_matchers(rows: tuple[Registration, ...], place: Place, *, gate_matcher: str) -> Finding:
    unheard, unblocked = tools_out_of_step(rows, gate_matcher)
    name = "matchers" if place.platform is CLAUDE else f"matchers {place.platform.name}"
    if unheard:
        facts = {"names": ", ".join(unheard), "file": place.path}
        detail = _("gate.matcher names %(names)s, for which %(file)s calls no hook") % facts
        return Finding(name, State.NOTE, detail, _(WIDEN))
    if unblocked:
        facts = {"names": ", ".join(unblocked), "file": place.path}
        detail = _("%(file)s calls a hook for %(names)s, which gate.matcher never blocks") % facts
        return Finding(name, State.NOTE, detail, _(WIDEN))
    return Finding(name, State.OK, _("the PreToolUse entry and gate.matcher name the same tools"))
