"""The embed server as this site runs it: settings and environment > a server that serves until it has a reason to end."""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from django.utils import timezone

from nokori_site.config import read_config_file
from nokori_site.logs import append_line
from nokori_site.version import VERSION
from retrieval.embeddings.backends import REMOTE, chosen_backend, open_embedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nokori_site.config import Config
    from retrieval.embeddings.server import Service
    from rules.disk import DataFolder

LOG = "embed-server"
THREAD_VARIABLES = (  # two threads on a busy machine spin against each other; read when numpy or torch is imported
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS",
)  # fmt: skip
NEVER_DOWNLOADS = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
ENVIRONMENT = dict.fromkeys(THREAD_VARIABLES, "1") | NEVER_DOWNLOADS | {"TOKENIZERS_PARALLELISM": "false"}


def run_embed_server(folder: DataFolder, *, config: Config) -> None:
    """Serves in this process until it is told to stop. Raises ServerRunning, EmbedderUnavailable, OSError."""
    os.environ.update(ENVIRONMENT)
    from retrieval.embeddings.server import serve  # noqa: PLC0415  imports numpy, which reads those variables

    with _server_log(folder, level=config.log_level):
        serve(service_of(folder, config=config), stop=_stop_on_signals())


def service_of(folder: DataFolder, *, config: Config) -> Service:
    from retrieval.embeddings.indexing import ChunkSizes  # noqa: PLC0415  as above
    from retrieval.embeddings.server import Service  # noqa: PLC0415

    models = Path(folder.models)
    return Service(
        folder=folder,
        version=VERSION,
        open_embedder=partial(open_embedder, config, models_folder=models),
        sizes=ChunkSizes(config.embed_chunk_size, config.embed_chunk_count),
        idle_seconds=config.embed_server_idle,
        is_remote=chosen_backend(config, models_folder=models) == REMOTE,
        is_outdated=embed_settings_watch(Path(folder.config_toml)),
    )


def embed_settings_watch(path: Path) -> Callable[[], bool]:
    """Tells whether the file's embedding settings are others than they were now; it is read only when it changed."""
    at_start, seen = _embed_settings(path), [_signature(path)]

    def is_changed() -> bool:
        signature = _signature(path)
        if signature == seen[0]:
            return False
        seen[0] = signature
        return _embed_settings(path) != at_start

    return is_changed


def _embed_settings(path: Path) -> dict[str, object]:
    return {name: value for name, value in read_config_file(path).values.items() if "embed" in name}


def _signature(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, -1)
    return (found.st_mtime_ns, found.st_size)


def _stop_on_signals() -> Event:
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


class _LogFile(logging.Handler):
    """Opens the file for each line, so that it may be moved aside at any time."""

    def __init__(self, folder: DataFolder) -> None:
        super().__init__()
        self._folder = folder

    def emit(self, record: logging.LogRecord) -> None:
        try:
            append_line(self._folder, LOG, self.format(record), level=record.levelname, now=timezone.now())
        except OSError:
            self.handleError(record)


@contextmanager
def _server_log(folder: DataFolder, *, level: str) -> Iterator[None]:
    """Lines to logs/embed-server.log, and to a terminal's stderr; coming and going is logged at every level but error."""
    log = logging.getLogger("retrieval.embeddings")
    handlers: list[logging.Handler] = [_LogFile(folder)]
    if sys.stderr.isatty():
        handlers.append(logging.StreamHandler())
    log.setLevel({"debug": logging.DEBUG, "error": logging.ERROR}.get(level, logging.INFO))
    log.propagate = False
    for handler in handlers:
        log.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            log.removeHandler(handler)
        log.propagate = True
