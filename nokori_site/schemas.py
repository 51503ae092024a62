"""Configuration, upkeep and logs as the API tells them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Field, Schema

from hooks.schemas import ArmedGateOut, LastCallOut
from rules.schemas import Words

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
    scan: Words = Field("", description="One scan by its name; empty: all of them.")


class ActivityFilter(Schema):
    period: Literal["24h", "7d", "30d"] = "7d"


class ColumnOut(Schema):
    """One hour or day."""

    title: str
    hot: int
    warm: int
    gate: int
    dismissed: int


class ActivityOut(Schema):
    """Totals of a period that ends now, and its hours or days. `retried`: denied calls that passed when sent again."""

    columns: list[ColumnOut]
    hot: int
    warm: int
    denied: int
    retried: int
    dismissed: int


class PublishedOut(Schema):
    """The rules that hooks read; `problem` is one sentence when they cannot."""

    is_fresh: bool
    rules: int
    delta_size: int
    problem: str


class StandingOut(Schema):
    """`hosts`: the newest call of each; `published_bytes`: of all files that hooks read; `failures`: of hooks in 24 hours."""

    is_well: bool
    hosts: list[LastCallOut]
    calls: list[LastCallOut]
    published: PublishedOut
    published_bytes: int
    notes_waiting: int
    notes_unreadable: int
    gates: list[ArmedGateOut]
    jobs_waiting: int
    jobs_given_up: int
    failures: int


class EmbedServerWish(Schema):
    do: Literal["start", "stop"]


class LogFilter(Schema):
    level: Literal["debug", "info", "warn", "error"] = "debug"
    lines: int = Field(200, ge=1, le=MAX_LINES)


class LogLines(Schema):
    lines: list[str]


class Started(Schema):
    """`is_started`: whether a process was asked to begin; false where starting processes is switched off."""

    is_started: bool
