"""logs/pipeline.log: what one extraction did, line by line, while it runs; never a word of a transcript.

`2026-11-30T10:00:00Z WARNING extraction.pipeline [session] text`. Each line is appended by itself, so that the file may be
renamed under a run at any time; a disk that takes no log is passed over.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rules.disk import PRIVATE_FILE, make_folder
from rules.redaction import redact

if TYPE_CHECKING:
    from rules.disk import DataFolder

FILE = "pipeline.log"
LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
MAX_LINE_CHARS = 2_000
logger = logging.getLogger("extraction")


class PipelineLog(logging.Handler):
    """Appends to the file; `session_id` is that of the job at hand."""

    def __init__(self, folder: DataFolder, *, level: str) -> None:
        super().__init__(LEVELS.get(level, logging.WARNING))
        self._folder = folder
        self.session_id = "-"

    def emit(self, record: logging.LogRecord) -> None:
        moment = datetime.fromtimestamp(record.created, tz=UTC)
        text = " ".join(redact(record.getMessage()).text.split())[:MAX_LINE_CHARS]
        line = f"{moment:%Y-%m-%dT%H:%M:%SZ} {record.levelname} {record.name} [{self.session_id}] {text}\n"
        try:
            make_folder(self._folder.logs)
            path = Path(self._folder.logs) / FILE
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
            with os.fdopen(descriptor, "ab", buffering=0) as file:
                file.write(line.encode("utf-8", "backslashreplace"))
        except OSError:
            return


@contextmanager
def pipeline_log(folder: DataFolder, *, level: str) -> Iterator[PipelineLog]:
    """Logs what the app says, from this level on, until the block ends."""
    handler = PipelineLog(folder, level=level)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(handler.level)
    try:
        yield handler
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)
