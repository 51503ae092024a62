"""Whether an embed server is wanted now, and starting one in the background: at most one start a minute, never a second one.

Embeddings are on by setting, or from 20 rules on. Then a server is wanted when a session began or a prompt missed it within
ten minutes, and when rules changed that it has not encoded; not after it was stopped by hand, until somebody asks anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hooks.hot.spawn import spawn_embed_server
from hooks.hot.stamps import EMBED_ASKED, EMBED_BEGUN, seconds_since
from nokori_site.embed_standing import why_off
from retrieval.embeddings import control
from retrieval.embeddings.backends import NONE, chosen_backend
from retrieval.embeddings.record import read_record
from rules.fields import OFF
from rules.pool import pool_counter

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from nokori_site.config import Config
    from retrieval.embeddings.record import Record
    from rules.disk import DataFolder

ASKED_SECONDS = 600.0
PAUSE_SECONDS = 60.0  # between two starts
FAILED_SECONDS = 600.0  # until a model that could not be loaded is tried again; sooner when config.toml was edited
HUNG_PATIENCE_MS = 5_000  # of a pass in the background: whoever answers within that is only busy


def start_embed_server(
    folder: DataFolder,
    *,
    config: Config,
    now: datetime,
    spawn: Callable[[DataFolder], bool] = spawn_embed_server,
) -> bool:
    """Whether one was started, in the place of a hung one if need be. Raises OSError, ServerNotEnded."""
    moment = now.timestamp()
    if not config.embed_server_auto_start or config.extracting or not _is_wanted(folder, config=config, now=moment):
        return False
    found = control.status(folder, patience_ms=HUNG_PATIENCE_MS)
    if found.is_up:
        return False
    if found.state == control.HUNG:
        control.end(folder)
    return control.start(folder, spawn=spawn)


def _is_wanted(folder: DataFolder, *, config: Config, now: float) -> bool:
    record = read_record(folder)
    if now - record.started_at < PAUSE_SECONDS or _failed_lately(record, folder, now=now):
        return False
    lately = min(ASKED_SECONDS, now - record.stopped_at)
    backend = chosen_backend(config, models_folder=Path(folder.models))
    if seconds_since(folder, EMBED_ASKED, now=now) < lately:  # by a prompt, whose pool held enough rules
        return backend != NONE and config.embed_enabled != OFF
    has_begun = seconds_since(folder, EMBED_BEGUN, now=now) < lately
    has_work = not record.stopped_at and record.counter != pool_counter()
    return (has_begun or has_work) and not why_off(config, backend=backend)


def _failed_lately(record: Record, folder: DataFolder, *, now: float) -> bool:
    if not record.problem or now - record.failed_at > FAILED_SECONDS:
        return False
    try:
        return Path(folder.config_toml).stat().st_mtime < record.failed_at
    except OSError:
        return True
