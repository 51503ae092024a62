"""What goes wrong in a page > logs/web.log, with its traceback; never the words of a request."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from nokori_site.logs import append_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from rules.disk import DataFolder

NAME = "web"
LOGGERS = ("django", "daphne", "rules", "retrieval", "hooks", "nokori_site")


class FileHandler(logging.Handler):
    """One record, one entry of the log file."""

    def __init__(self, folder: DataFolder, clock: Callable[[], datetime]) -> None:
        super().__init__(logging.WARNING)
        self._folder = folder
        self._clock = clock

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):  # a full disk must not take the page along
            append_line(self._folder, NAME, self.format(record), level=record.levelname, now=self._clock())


def log_to_file(folder: DataFolder, *, clock: Callable[[], datetime]) -> None:
    handler = FileHandler(folder, clock)
    for name in LOGGERS:
        logging.getLogger(name).addHandler(handler)
