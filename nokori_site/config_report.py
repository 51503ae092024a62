"""Every setting as it stands: its value, where that came from, its default, and what it may be. Secrets come masked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nokori_site.config import load_config, read_config_file
from rules.fields import FIELDS, environment_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nokori_site.config import Config
    from rules.disk import DataFolder
    from rules.fields import Field, Value

NEED_RESTART = ("database_url", "redis_url")
MASK = "••••••••"
ENVIRONMENT_ONLY = "environment"
FROM_ENVIRONMENT, FROM_FILE, FROM_DEFAULT = "environment", "config.toml", "default"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting. `value` and `default` are as config.toml writes them; a secret that is set is MASK."""

    name: str
    section: str
    env: str
    toml: str
    kind: str
    doc: str
    allowed: str
    choices: tuple[str, ...]
    value: str
    default: str
    source: str
    file_value: str
    is_secret: bool

    @property
    def is_editable(self) -> bool:
        return bool(self.toml)

    @property
    def shown_name(self) -> str:
        """As it stands in the file, below the heading of its table."""
        return self.toml.rpartition(".")[2] or self.env

    @property
    def needs_restart(self) -> bool:
        return self.name in NEED_RESTART

    @property
    def is_overruled(self) -> bool:
        """The file says something, and the environment something else."""
        return self.source == FROM_ENVIRONMENT and bool(self.file_value)


def report(folder: DataFolder, *, environ: Mapping[str, str]) -> list[Setting]:
    config = load_config(environ)
    from_file = read_config_file(Path(folder.config_toml)).values
    from_environment, _ = environment_values(environ)
    return [
        _setting(row, config, from_file=from_file.get(row.name), is_in_environment=row.name in from_environment)
        for row in FIELDS
    ]


def by_section(settings: Iterable[Setting]) -> dict[str, list[Setting]]:
    """By table of the file; "" holds those above all tables, ENVIRONMENT_ONLY those that no file can set."""
    sections: dict[str, list[Setting]] = {}
    for setting in settings:
        section = setting.section if setting.is_editable else ENVIRONMENT_ONLY
        sections.setdefault(section, []).append(setting)
    return sections


def problems(environ: Mapping[str, str]) -> tuple[str, ...]:
    return load_config(environ).problems


def shown(row: Field, value: Value) -> str:
    """As config.toml writes it, without what nobody is to read."""
    if row.secret and value:
        return MASK
    if isinstance(value, bool):
        return "true" if value else "false"
    return _without_password(str(value)) if row.kind == "url" else str(value)


def _setting(row: Field, config: Config, *, from_file: Value | None, is_in_environment: bool) -> Setting:
    place = FROM_ENVIRONMENT if is_in_environment else FROM_FILE if from_file is not None else FROM_DEFAULT
    return Setting(
        name=row.name,
        section=row.toml.partition(".")[0] if "." in row.toml else "",
        env=row.env,
        toml=row.toml,
        kind=row.kind,
        doc=row.doc,
        allowed=row.allowed,
        choices=row.choices,
        value=shown(row, getattr(config, row.name)),
        default=shown(row, row.default),
        source=place,
        file_value="" if from_file is None else shown(row, from_file),
        is_secret=row.secret,
    )


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{separator}{MASK}@{place.rpartition('@')[2]}{slash}{path}" if "@" in place else url
