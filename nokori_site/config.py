"""The configuration: environment > config.toml > default, as one frozen typed Config that never fails to load.

A bad value leaves the next source's value in place and one sentence in `problems`. What the file and the defaults say
is published as config.json for the hooks, without secrets; each hook lays its own environment over it.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hooks.hot import spawn
from nokori_site.database_url import is_database_url
from nokori_site.version import VERSION
from retrieval.embeddings.backends import chosen_backend
from rules.disk import DataFolder, data_dir, remove_file, write_atomic
from rules.fields import FIELDS, SettingError, environment_values, parse_setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rules.fields import Value

FILE = "config.toml"
FORMAT = 1  # of config.json
MANAGE = Path(spawn.MANAGE).resolve()
BAD_DATABASE_URL = (
    "NOKORI_DATABASE_URL or config.toml: database.url = (hidden) is not allowed; "
    "use an address such as postgres://user:password@host/name, or nothing."
)
VERBOSE_LEVELS = ("debug", "info")  # at these a silent pre-tool-use writes its log line too
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
    extract_max_rules: int
    extract_max_tokens: int
    extract_assistant_head: int
    extract_assistant_tail: int
    session_idle_seconds: int
    hot_cache: bool
    promotion_enabled: bool
    isolate_worktrees: bool
    llm_base_url: str
    llm_model: str
    llm_api_key: str = field(repr=False)
    embed_enabled: str
    embed_backend: str
    embed_base_url: str
    embed_model: str
    embed_api_key: str = field(repr=False)
    embed_dimensions: int
    embed_languages: str
    embed_fusion: str
    embed_chunk_size: int
    embed_chunk_count: int
    hook_embed_timeout: int
    hook_embed_wait_ms: int
    embed_server_idle: int
    embed_server_auto_start: bool
    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    data_dir: str
    claude_home: str
    cursor_home: str
    codex_home: str
    transcript_extra_roots: str
    extracting: bool
    problems: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()  # those of the problems that only name a setting which does not exist


@dataclass(frozen=True, slots=True)
class FileSettings:
    """What config.toml says: typed values by setting name, and one sentence for each thing wrong with it."""

    values: dict[str, Value]
    problems: tuple[str, ...]
    unknown: tuple[str, ...] = ()


def load_config(environ: Mapping[str, str]) -> Config:
    folder = DataFolder(data_dir(environ))
    from_file = read_config_file(Path(folder.config_toml))
    from_environment, problems = environment_values(environ)
    values: dict[str, Any] = {  # each value has the type that its row of FIELDS gives it
        **{row.name: row.default for row in FIELDS},
        **_homes_of_clients(environ),
        **from_file.values,
        **from_environment,
        "data_dir": folder.root,
    }
    if not is_database_url(values["database_url"]):
        problems.append(BAD_DATABASE_URL)
        values["database_url"] = ""
    return Config(**values, problems=(*from_file.problems, *problems), unknown=from_file.unknown)


def _homes_of_clients(environ: Mapping[str, str]) -> dict[str, Value]:
    """The clients' own variables for their home folders; ours come before them."""
    variables = {"claude_home": "CLAUDE_CONFIG_DIR", "codex_home": "CODEX_HOME"}
    chosen = {name: environ.get(variable, "").strip() for name, variable in variables.items()}
    return {name: home for name, home in chosen.items() if home}


def publish_config(folder: DataFolder) -> bool:
    """Brings config.json and the marks up to date with config.toml; True when config.json was written."""
    tree = _published_tree(folder)
    _set_mark(folder, "verbose", is_set=tree["values"]["log_level"] in VERBOSE_LEVELS)
    _set_mark(folder, "disabled", is_set=tree["values"]["disabled"])
    if _read_bytes(_config_json(folder)) == _render(tree):
        return False
    write_atomic(str(_config_json(folder)), _render(tree), durable=True)
    return True


def is_config_fresh(folder: DataFolder) -> bool:
    """Whether the hooks see what config.toml says now."""
    return _read_bytes(_config_json(folder)) == _render(_published_tree(folder))


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
        return FileSettings({}, (f"{path} cannot be read: {error.strerror}.",))
    return _parse_tree(tree)


def _parse_tree(tree: dict[str, Any]) -> FileSettings:
    values: dict[str, Value] = {}
    unknown = tuple(
        f"{FILE}: {place} is not a setting of Nokori." for place, _ in _leaves(tree) if place not in BY_TOML
    )
    problems = [*unknown]
    for place, raw in _leaves(tree):
        row = BY_TOML.get(place)
        if row is None:
            continue
        try:
            values[row.name] = parse_setting(row, raw, source=f"{FILE}: {place}")
        except SettingError as problem:
            problems.append(str(problem))
    return FileSettings(values, tuple(problems), unknown)


def _leaves(tree: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """The dotted place and value of each setting; an unknown table counts as one setting that nobody knows."""
    for key, value in tree.items():
        if key in TABLES and isinstance(value, dict):
            yield from ((f"{key}.{name}", inner) for name, inner in value.items())
        else:
            yield key, value


def _config_json(folder: DataFolder) -> Path:
    return Path(folder.published) / "config.json"


def _published_tree(folder: DataFolder) -> dict[str, Any]:
    path = Path(folder.config_toml)
    source = _file_signature(path)  # before reading: a change in between then shows as stale
    from_file = read_config_file(path)
    return {
        "format": FORMAT,
        "values": {row.name: from_file.values.get(row.name, row.default) for row in FIELDS if not row.may_hide_secret},
        "problems": from_file.problems,
        "source": source,
        "embed_backend": _embed_backend(folder, from_file.values),
        "stemmer": {"folder": _stemmer_folder(), "cache_tag": sys.implementation.cache_tag},
        "python": sys.executable,
        "manage": str(MANAGE),
        "version": VERSION,
    }


def _embed_backend(folder: DataFolder, from_file: dict[str, Value]) -> str:
    """What computes vectors by what the file says."""
    values: dict[str, Any] = {row.name: from_file.get(row.name, row.default) for row in FIELDS}
    return chosen_backend(Config(**values), models_folder=Path(folder.models))


def _file_signature(path: Path) -> dict[str, int]:
    """How a hook notices an edit by hand."""
    try:
        stat = path.stat()
    except OSError:
        return {"mtime_ns": 0, "size": -1}
    return {"mtime_ns": stat.st_mtime_ns, "size": stat.st_size}


def _stemmer_folder() -> str:
    """Where the stemmer lies, for a hook that runs without site-packages; empty when it is not installed."""
    spec = importlib.util.find_spec("Stemmer")
    return str(Path(spec.origin).parent) if spec and spec.origin else ""


def _render(tree: dict[str, Any]) -> bytes:
    return json.dumps(tree, indent=1).encode()


def _read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _set_mark(folder: DataFolder, name: str, *, is_set: bool) -> None:
    """An empty file that a hook sees without reading JSON."""
    mark = Path(folder.published) / name
    if not is_set:
        remove_file(str(mark))
    elif not mark.exists():
        write_atomic(str(mark), b"")
