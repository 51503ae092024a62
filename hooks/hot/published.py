"""published/config.json and the environment > the settings of one hook call; published/*.idx > the index to search.

Nothing here raises for a missing or damaged config.json: defaults hold then, and `problems` says so.
"""

from __future__ import annotations

import os
import sys

from rules.fields import AUTOMATIC, BY_NAME, OFF, environment_values
from rules.plain_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.disk import DataFolder

NO_BACKEND = "none"  # as retrieval/embeddings/backends.py names it
CONFIG_FORMAT = 1


class ConfigUnreadable(ValueError):
    """published/config.json is damaged, so defaults hold until it is written anew."""


class SettingIgnored(ValueError):
    """A setting has a value that is not allowed, so its default holds."""


class Settings:
    """What a hook needs of the configuration; names and meanings are those of rules.fields."""

    __slots__ = (
        "claude_home",
        "codex_home",
        "cursor_home",
        "data_dir",
        "dismiss_phrase",
        "embed_enabled",
        "embed_fusion",
        "embed_server_auto_start",
        "gate_batch_window_ms",
        "gate_enabled",
        "gate_matcher",
        "gate_ttl_seconds",
        "hook_coalesce",
        "hook_embed_wait_ms",
        "hot_cache",
        "is_disabled",
        "is_strict",
        "isolate_worktrees",
        "log_level",
        "max_injection_chars",
        "promotion_enabled",
        "transcript_extra_roots",
    )

    def __init__(self, values: Mapping[str, object]) -> None:
        self.dismiss_phrase = _text(values, "dismiss_phrase")
        self.embed_enabled = _text(values, "embed_enabled")
        self.embed_fusion = _text(values, "embed_fusion")
        self.embed_server_auto_start = _flag(values, "embed_server_auto_start")
        self.gate_batch_window_ms = _number(values, "gate_batch_window_ms")
        self.gate_enabled = _flag(values, "gate_enabled")
        self.gate_matcher = _text(values, "gate_matcher")
        self.gate_ttl_seconds = _number(values, "gate_ttl_seconds")
        self.hook_coalesce = _flag(values, "hook_coalesce")
        self.hook_embed_wait_ms = _number(values, "hook_embed_wait_ms")
        self.hot_cache = _flag(values, "hot_cache")
        self.is_disabled = _flag(values, "disabled")
        self.is_strict = _flag(values, "strict")
        self.isolate_worktrees = _flag(values, "isolate_worktrees")
        self.log_level = _text(values, "log_level")
        self.max_injection_chars = _number(values, "max_injection_chars")
        self.promotion_enabled = _flag(values, "promotion_enabled")
        self.claude_home = _text(values, "claude_home")
        self.codex_home = _text(values, "codex_home")
        self.cursor_home = _text(values, "cursor_home")
        self.data_dir = _text(values, "data_dir")
        self.transcript_extra_roots = _text(values, "transcript_extra_roots")

    def transcript_roots(self) -> tuple[str, ...]:
        """The folders that transcripts may lie in; CLAUDE_CONFIG_DIR and CODEX_HOME are where this very client keeps them."""
        clients = (os.environ.get("CLAUDE_CONFIG_DIR", ""), os.environ.get("CODEX_HOME", ""))
        homes = ("~/.claude", *clients, self.claude_home, self.cursor_home, self.codex_home, self.data_dir)
        return (*homes, *self.transcript_extra_roots.split(os.pathsep))


class Published:
    """What Django published last, as this call sees it.

    `is_missing`: config.json is missing or damaged. `is_stale`: config.toml was edited since it was written.
    """

    __slots__ = (
        "embed_backend",
        "is_missing",
        "is_stale",
        "manage",
        "problems",
        "python",
        "settings",
        "stemmer_folder",
        "version",
    )

    def __init__(self, content: Mapping[str, object], *, environ: Mapping[str, str], is_stale: bool = False) -> None:
        from_environment, problems = environment_values(environ)
        self.settings = Settings({**_mapping(content, "values"), **from_environment})
        self.problems: list[Exception] = [SettingIgnored(problem) for problem in problems]
        self.is_missing = not content
        self.is_stale = is_stale
        self.python = _string(content, "python")
        self.manage = _string(content, "manage")
        self.stemmer_folder = _stemmer_folder(_mapping(content, "stemmer"))
        self.embed_backend = _embed_backend(from_environment) or _string(content, "embed_backend") or NO_BACKEND
        self.version = _string(content, "version")

    @property
    def may_embed(self) -> bool:
        """Whether an embed server is wanted at all: the count of rules aside."""
        return self.settings.embed_enabled != OFF and self.embed_backend != NO_BACKEND


def load_published(folder: DataFolder, *, environ: Mapping[str, str]) -> Published:
    try:
        content = _read_config(os.path.join(folder.published, "config.json"))
    except FileNotFoundError:
        return Published({}, environ=environ)
    except (OSError, ValueError, RecursionError) as error:
        published = Published({}, environ=environ)
        published.problems.append(ConfigUnreadable(f"published/config.json: {error}"))
        return published
    is_stale = _mapping(content, "source") != config_source(folder)
    return Published(content, environ=environ, is_stale=is_stale)


def config_source(folder: DataFolder) -> dict[str, object]:
    """What config.toml looks like from outside; a file that is not there has size -1."""
    try:
        status = os.stat(folder.config_toml)
    except OSError:
        return {"mtime_ns": 0, "size": -1}
    return {"mtime_ns": status.st_mtime_ns, "size": status.st_size}


def config_edited_at(folder: DataFolder) -> float:
    """Epoch seconds; 0.0 for a config.toml that is not there."""
    mtime_ns = config_source(folder)["mtime_ns"]
    return mtime_ns / 1e9 if isinstance(mtime_ns, int) else 0.0


def make_stemmer_importable(stemmer_folder: str) -> None:
    """Appended, never inserted: site-packages must not shadow the standard library."""
    if stemmer_folder and stemmer_folder not in sys.path:
        sys.path.append(stemmer_folder)


def _read_config(path: str) -> dict[str, object]:
    with open(path, "rb") as file:
        content = loads(file.read())
    if not isinstance(content, dict) or content.get("format") != CONFIG_FORMAT:
        raise ConfigUnreadable("not in this version's format")
    return content


def _stemmer_folder(stemmer: Mapping[str, object]) -> str:
    """Where the stemmer for this very interpreter lies: as published, else in its virtual environment, else ""."""
    if stemmer.get("cache_tag") == sys.implementation.cache_tag:
        return _string(stemmer, "folder")
    prefix = os.path.dirname(os.path.dirname(sys.executable or ""))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for guess in (("lib", version, "site-packages"), ("Lib", "site-packages")):
        folder = os.path.join(prefix, *guess)
        if prefix and os.path.isdir(folder):
            return folder
    return ""


def _embed_backend(from_environment: Mapping[str, object]) -> str:
    """What computes vectors, when the environment decides that; else ""."""
    chosen = _string(from_environment, "embed_backend")
    if chosen and chosen != AUTOMATIC:
        return chosen
    return "remote" if _string(from_environment, "embed_base_url") else ""


def _mapping(content: Mapping[str, object], name: str) -> dict[str, object]:
    value = content.get(name)
    return value if isinstance(value, dict) else {}


def _string(content: Mapping[str, object], name: str) -> str:
    value = content.get(name)
    return value if isinstance(value, str) else ""


def _flag(values: Mapping[str, object], name: str) -> bool:
    value = values.get(name)
    return value if isinstance(value, bool) else bool(BY_NAME[name].default)


def _number(values: Mapping[str, object], name: str) -> int:
    value = values.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        value = BY_NAME[name].default
    return int(value)


def _text(values: Mapping[str, object], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else str(BY_NAME[name].default)
