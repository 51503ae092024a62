"""Configuration, upkeep and logs as the API tells them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Field, Schema

MAX_CHANGED = 100  # settings in one call
MAX_LINES = 2_000


class SettingOut(Schema):
    """A secret that is set is masked. `source`: environment, config.toml or default."""

    name: str
    env: str
    toml: str
    kind: str
    doc: str
    allowed: str
    value: str
    default: str
    source: Literal["environment", "config.toml", "default"]
    file_value: str
    is_secret: bool
    is_editable: bool


class ConfigOut(Schema):
    settings: list[SettingOut]
    problems: list[str]


class ConfigChanges(Schema):
    """Values as config.toml or the environment write them; null takes a setting out of the file."""

    settings: dict[str, str | None] = Field(max_length=MAX_CHANGED)


class ConfigChanged(ConfigOut):
    changed: list[str]


class ScanOut(Schema):
    scan: str
    ran_at: datetime | None
    due_at: datetime | None
    is_due: bool


class ScanReportOut(Schema):
    scan: str
    counts: dict[str, int]
    problem: str


class MaintenanceWish(Schema):
    only_due: bool = True


class LogFilter(Schema):
    level: Literal["debug", "info", "warn", "error"] = "debug"
    lines: int = Field(200, ge=1, le=MAX_LINES)


class LogLines(Schema):
    lines: list[str]


class Started(Schema):
    """`is_started`: whether a process was asked to begin; false where starting processes is switched off."""

    is_started: bool
