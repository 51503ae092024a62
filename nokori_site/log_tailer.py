"""All log files of the data folder > numbered lines in batches of 100 ms, for everyone in this process who listens.

One tailer a process reads the files while somebody listens; it knows no database. Its memory is the last RING_LINES lines.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nokori_site.log_reading import CURRENT, Line, Tail, level_of, lines_of
from rules.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from channels.layers import BaseChannelLayer

    from rules.disk import DataFolder

TICK_SECONDS = 0.1  # one frame for each
RING_LINES = 1_000  # what a new listener sees first
START_BYTES = 200_000  # of each file, for that
BATCH_LINES = 1_000  # the oldest of a larger batch are left out, and counted
LINE_CHARS = 2_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive lines. `first` is the number of the first one; `text` the lines as a JSON list."""

    first: int
    count: int
    text: str


class LogTails:
    """Every log file, from now on or with its last bytes first."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = Path(folder.logs)
        self._tails = {path: Tail(path, _start(path)) for path in self._files()}
        self._states: dict[Path, Line] = {}

    def news(self) -> list[tuple[str, Line]]:
        """Each new line with the name of its file, in the order of time as far as it is known."""
        found: list[tuple[str, Line]] = []
        for path in self._files():
            tail = self._tails.setdefault(path, Tail(path, 0))
            before = self._states.get(path, Line("", "", ""))
            lines = list(lines_of(tail.news(), at=before.at, level=before.level))
            if lines:
                self._states[path] = lines[-1]
            found += ((path.stem, line) for line in lines)
        found.sort(key=lambda entry: entry[1].at)  # stable
        return found

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(CURRENT))


class LogTailer:
    """Sends batches to a group of the channel layer for as long as somebody is in it."""

    def __init__(self, folder: DataFolder, layer: BaseChannelLayer) -> None:
        self._folder = folder
        self._layer = layer
        self._ring: deque[str] = deque(maxlen=RING_LINES)
        self._listeners: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._tails: LogTails | None = None
        self._ready = asyncio.Lock()
        self.next_number = 0
        # of this process alone: another one that shares the layer follows the files itself
        self.group = f"logs.{os.getpid()}.{secrets.token_hex(4)}"

    @property
    def has_listeners(self) -> bool:
        return bool(self._listeners)

    async def join(self, channel: str) -> Batch:
        """From now on the channel gets what is written; the answer is what was written last."""
        self._listeners.add(channel)
        async with self._ready:
            if self._tails is None:
                self._tails = await asyncio.to_thread(LogTails, self._folder)
                self._number(await asyncio.to_thread(self._tails.news))
            await self._layer.group_add(self.group, channel)
            self._task = self._task or asyncio.create_task(self._follow())
        return Batch(self.next_number - len(self._ring), len(self._ring), f"[{','.join(self._ring)}]")

    async def leave(self, channel: str) -> None:
        self._listeners.discard(channel)
        if not self._listeners and self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        await self._layer.group_discard(self.group, channel)

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            assert self._tails is not None  # noqa: S101  join() made them
            batch = self._number(await asyncio.to_thread(self._tails.news))
            if batch.count and not await self._is_sent(batch):
                return

    async def _is_sent(self, batch: Batch) -> bool:
        """False when the channel layer is a server that went away: its listeners are cut off and come back by themselves."""
        message = {"type": "log.lines", "first": batch.first, "count": batch.count, "text": batch.text}
        try:
            await self._layer.group_send(self.group, message)
        except Exception:  # whatever a layer's client raises
            logger.exception("The log stream is cut off from its channel layer.")
            self._listeners.clear()
            self._task = None
            return False
        return True

    def _number(self, entries: Iterable[tuple[str, Line]]) -> Batch:
        texts = [_as_json(name, line) for name, line in entries]
        self.next_number += len(texts)
        self._ring.extend(texts)
        sent = texts[-BATCH_LINES:]
        return Batch(self.next_number - len(sent), len(sent), f"[{','.join(sent)}]")


def _as_json(name: str, line: Line) -> str:
    text = redact(line.text[:LINE_CHARS]).text
    return json.dumps([line.at, level_of(line.level), name, text], ensure_ascii=False)


def _start(path: Path) -> int:
    """The beginning of a line, START_BYTES before the end or a little later."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - START_BYTES))
            return file.tell() + len(file.readline(START_BYTES)) if file.tell() else 0
    except FileNotFoundError:
        return 0
