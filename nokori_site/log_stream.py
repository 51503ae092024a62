"""The websocket of the log page: batches from the channel layer > one frame each, `{"missed", "first", "lines"}`.

The page answers each frame. One that is FRAMES_AHEAD behind gets no more until it has caught up; what it lost is told as
`missed` in its next frame, so that the server never keeps lines for anyone.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.conf import settings

from nokori_site.log_tailer import Batch, LogTailer

if TYPE_CHECKING:
    from typing import Any

FRAMES_AHEAD = 20  # two seconds
UNAVAILABLE = 4503  # a close code of ours, after HTTP's 503
logger = logging.getLogger(__name__)
tailers: dict[str, LogTailer] = {}  # by data root: one in a process


class LogConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """One listener. `_ahead` counts frames that were sent and not answered."""

    _tailer: LogTailer | None = None
    _next = 0
    _ahead = 0
    _missed = 0

    async def connect(self) -> None:
        await self.accept()
        self._tailer = tailer_of_this_process()
        try:
            batch = await self._tailer.join(self.channel_name)
        except Exception:  # the channel layer may be a server that is away
            logger.exception("The log stream cannot be joined.")
            await self.close(code=UNAVAILABLE)
            return
        self._next = batch.first
        await self._pass_on(batch)

    async def disconnect(self, code: int) -> None:
        if self._tailer is not None:
            with suppress(Exception):  # the channel layer may be a server that is away
                await self._tailer.leave(self.channel_name)
            if not self._tailer.has_listeners:
                tailers.pop(settings.NOKORI_FOLDER.root, None)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Whatever comes is an answer to one frame."""
        self._ahead = max(0, self._ahead - 1)
        if self._missed and self._ahead < FRAMES_AHEAD:
            await self._send(Batch(self._next, 0, "[]"))

    async def log_lines(self, message: dict[str, Any]) -> None:
        """A batch from the layer."""
        await self._pass_on(Batch(message["first"], message["count"], message["text"]))

    async def _pass_on(self, batch: Batch) -> None:
        if batch.first + batch.count <= self._next and batch.count:
            return  # the first frame held it
        self._missed += max(0, batch.first - self._next)
        self._next = batch.first + batch.count
        if self._ahead >= FRAMES_AHEAD:
            self._missed += batch.count
        else:
            await self._send(batch)

    async def _send(self, batch: Batch) -> None:
        missed, self._missed = self._missed, 0
        self._ahead += 1
        await self.send(f'{{"missed":{json.dumps(missed)},"first":{batch.first},"lines":{batch.text}}}')


def tailer_of_this_process() -> LogTailer:
    folder = settings.NOKORI_FOLDER
    if folder.root not in tailers:
        tailers[folder.root] = LogTailer(folder, get_channel_layer())
    return tailers[folder.root]
