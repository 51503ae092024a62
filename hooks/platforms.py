"""The programs that Nokori registers with, and what is registered: one table for `install`, `health` and the tests. Pure.

A platform with another settings file is one more row. Only events that every version knows are named: an older Claude
Code voids a whole file for the sake of one that it does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.fields import TOOL_MATCHER


@dataclass(frozen=True)
class Entry:
    """One row of what is registered. timeout_seconds: the hook's own deadline is far below it."""

    key: str
    event: str
    timeout_seconds: int
    matcher: str = ""


@dataclass(frozen=True)
class Platform:
    """`is_flat`: commands stand right under their event; else in groups, which carry the matcher."""

    name: str
    title: str
    file_name: str
    entries: tuple[Entry, ...]
    new_file: str = "{}\n"
    is_flat: bool = False


CLAUDE = Platform(
    name="claude",
    title="Claude Code",
    file_name="settings.json",
    entries=(
        Entry("SessionStart", "session-start", 10),
        Entry("UserPromptSubmit", "user-prompt-submit", 10),
        Entry("PreToolUse", "pre-tool-use", 5, TOOL_MATCHER),
        Entry("SessionEnd", "session-end", 20),  # without a timeout the client kills it after 1.5 s
    ),
)
CURSOR = Platform(
    name="cursor",
    title="Cursor",
    file_name="hooks.json",
    entries=(
        Entry("sessionStart", "session-start", 10),
        Entry("beforeSubmitPrompt", "user-prompt-submit", 10),
        Entry("preToolUse", "pre-tool-use", 5, TOOL_MATCHER),
        Entry("postToolUse", "post-tool-use", 5),  # any tool's result can carry the prompt's rules
        Entry("sessionEnd", "session-end", 10),
    ),
    new_file='{\n  "version": 1\n}\n',
    is_flat=True,
)
CODEX = Platform(
    name="codex",
    title="Codex",
    file_name="hooks.json",
    entries=(
        Entry("SessionStart", "session-start", 10),
        Entry("UserPromptSubmit", "user-prompt-submit", 10),
        Entry("PreToolUse", "pre-tool-use", 5, TOOL_MATCHER),
        Entry("SessionEnd", "session-end", 3),  # the client allows no more
    ),
)
PLATFORMS = (CLAUDE, CURSOR, CODEX)
