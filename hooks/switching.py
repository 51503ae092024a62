"""A settings text > the same text with our hooks switched off, or on again; the entries stay where they are. Pure.

Claude Code hands the environment in its settings to every hook. Elsewhere the commands themselves end in `off`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooks import json_text
from hooks.platforms import CLAUDE
from hooks.registration import SettingsRefused, edited, is_line_off, registrations, root_of, switched_line

if TYPE_CHECKING:
    from hooks.json_text import Node
    from hooks.platforms import Platform

VARIABLE = "NOKORI_DISABLED"


def is_off(text: str, platform: Platform) -> bool:
    """Raises SettingsRefused, as all of these."""
    if platform is CLAUDE:
        env = _env(text)
        return env is not None and env.value.get(VARIABLE) == "1"
    return any(is_line_off(row.command) for row in registrations(text))


def switched_off(text: str, platform: Platform) -> str:
    if platform is not CLAUDE:
        return edited(text, lambda command: switched_line(command, is_off=True))
    env = _env(text)
    if env is None:
        return json_text.appended(text, root_of(text), value={VARIABLE: "1"}, key="env")
    variable = env.member(VARIABLE)
    if variable is None:
        return json_text.appended(text, env, value="1", key=VARIABLE)
    return text if variable.value == "1" else json_text.replaced(text, variable, value="1")


def switched_on(text: str, platform: Platform) -> str:
    """Takes the variable out, and an `env` that held nothing else."""
    if platform is not CLAUDE:
        return edited(text, lambda command: switched_line(command, is_off=False))
    env = _env(text)
    variable = env.member(VARIABLE) if env is not None else None
    if env is None or variable is None:
        return text
    if len(env.children) == 1:
        return json_text.removed(text, env, container=root_of(text))
    return json_text.removed(text, variable, container=env)


def _env(text: str) -> Node | None:
    env = root_of(text).member("env")
    if env is not None and not isinstance(env.value, dict):
        raise SettingsRefused("has an `env` that is not an object")
    return env
