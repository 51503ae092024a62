"""The configuration: environment > config.toml > default, as one frozen typed Config that never fails to load.

A bad value leaves the next source's value in place and one sentence in `problems`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rules.disk import DataFolder, data_dir
from rules.fields import FIELDS, SettingError, environment_values, parse_setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rules.fields import Value

FILE = "config.toml"
BY_TOML = {row.toml: row for row in FIELDS if row.toml}
TABLES = {place.partition(".")[0] for place in BY_TOML if "." in place}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting of rules.fields.FIELDS by its name, and what was wrong with the given ones."""

    max_injection_chars: int
    dismiss_phrase: str
    log_level: str
    strict: bool
    disabled: bool
    hook_coalesce: bool
    gate_enabled: bool
    gate_ttl_seconds: int
    gate_matcher: str
    gate_batch_window_ms: int
    extract_mode: str
    extract_defer_active: bool
    session_idle_seconds: int
    hot_cache: bool
    promotion_enabled: bool
    isolate_worktrees: bool
    llm_base_url: str
    llm_model: str
    llm_api_key: str = field(repr=False)
    embed_enabled: bool
    embed_base_url: str
    embed_model: str
    embed_api_key: str = field(repr=False)
    embed_dimensions: int
    embed_chunk_size: int
    embed_chunk_count: int
    hook_embed_timeout: int
    embed_server_idle: int
    embed_server_auto_start: bool
    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    data_dir: str
    claude_home: str
    cursor_home: str
    transcript_extra_roots: str
    extracting: bool
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileSettings:
    """What config.toml says: typed values by setting name, and one sentence for each thing wrong with it."""

    values: dict[str, Value]
    problems: tuple[str, ...]


def load_config(environ: Mapping[str, str]) -> Config:
    folder = DataFolder(data_dir(environ))
    from_file = read_config_file(Path(folder.config_toml))
    from_environment, problems = environment_values(environ)
    values: dict[str, Any] = {  # each value has the type that its row of FIELDS gives it
        **{row.name: row.default for row in FIELDS},
        **from_file.values,
        **from_environment,
        "data_dir": folder.root,
    }
    return Config(**values, problems=(*from_file.problems, *problems))


def read_config_file(path: Path) -> FileSettings:
    """The settings of one TOML file; a missing file says nothing."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # Windows editors put a byte order mark first
        tree = tomllib.loads(text)
    except FileNotFoundError:
        return FileSettings({}, ())
    except UnicodeDecodeError as error:
        return FileSettings({}, (f"{FILE} is not UTF-8: see byte {error.start + 1}.",))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return FileSettings({}, (f"{FILE} is not valid TOML: {error}.",))
    except OSError as error:
        return FileSettings({}, (f"{FILE} cannot be read: {error.strerror}.",))
    return _parse_tree(tree)


def _parse_tree(tree: dict[str, Any]) -> FileSettings:
    values: dict[str, Value] = {}
    problems: list[str] = []
    for place, raw in _leaves(tree):
        row = BY_TOML.get(place)
        if row is None:
            problems.append(f"{FILE}: {place} is not a setting of Nokori.")
            continue
        try:
            values[row.name] = parse_setting(row, raw, source=f"{FILE}: {place}")
        except SettingError as problem:
            problems.append(str(problem))
    return FileSettings(values, tuple(problems))


def _leaves(tree: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """The dotted place and value of each setting; an unknown table counts as one setting that nobody knows."""
    for key, value in tree.items():
        if key in TABLES and isinstance(value, dict):
            yield from ((f"{key}.{name}", inner) for name, inner in value.items())
        else:
            yield key, value
