"""The embed server: one process for a data folder, which owns the model and the vectors and answers what is near a prompt.

It listens before the model is loaded and says "starting" until then. Prompts go before rules: those are encoded in small
batches in between. It ends when nobody asked for a while, when it is stale, and when its address is no longer its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from retrieval.embeddings.answering import MOST_AT_ONCE, Answerer
from retrieval.embeddings.connections import Connections
from retrieval.embeddings.inbox import Inbox, Question, Turns
from retrieval.embeddings.index_thread import IndexThread
from retrieval.embeddings.indexing import ChunkSizes, Indexer
from retrieval.embeddings.matrix import VectorMatrix
from retrieval.embeddings.places import Listener, listening
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.record import update_record
from retrieval.embeddings.singleton import server_lock
from retrieval.lexical.embed_client import FEW, READY, STALE, STARTING, ServerMissing, read_address

if TYPE_CHECKING:
    from retrieval.embeddings.protocol import Embedder
    from rules.disk import DataFolder

TICK_SECONDS = 1.0
STOPPING = "stopping"
MATRIX_FILE = "matrix.f32"
MOST_WAIT_MS = 60_000
DRAIN_SECONDS = 1.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Service:
    """What a server is started with. `is_outdated` tells whether the settings it was started with hold no longer;
    `is_remote`, whether encoding goes on elsewhere, so that rules keep no prompt waiting."""

    folder: DataFolder
    version: str
    open_embedder: Callable[[], Embedder]
    sizes: ChunkSizes
    idle_seconds: float
    is_remote: bool = False
    is_outdated: Callable[[], bool] = bool


def serve(service: Service, *, stop: Event) -> None:
    """Serves until it has a reason to end, or `stop` is set.

    Raises ServerRunning when there is one already, EmbedderUnavailable when the model cannot be loaded, OSError.
    """
    with server_lock(service.folder), listening(service.folder, version=service.version) as listener:
        EmbedServer(service, listener, stop=stop).run()


@dataclass(frozen=True)
class Engine:
    """What there is once the model is loaded."""

    answerer: Answerer
    indexing: IndexThread


class EmbedServer:
    def __init__(self, service: Service, listener: Listener, *, stop: Event) -> None:
        self._service = service
        self._listener = listener
        self._stop = stop
        self._inbox = Inbox()
        self._engine: Engine | None = None
        self._started = time.monotonic()
        self._last_asked = self._started

    def run(self) -> None:
        connections = Connections(self._listener, self._reply)
        Thread(target=connections.serve, daemon=True).start()
        try:
            engine = self._get_ready()
        except EmbedderUnavailable as error:
            self._write_down(problem=str(error), failed_at=time.time())
            raise
        except Exception as error:
            self._write_down(problem=f"The server could not start ({type(error).__name__}).", failed_at=time.time())
            raise
        try:
            self._work(engine)
        finally:
            self._stop.set()
            engine.indexing.end()
            connections.drain(seconds=DRAIN_SECONDS)

    def _get_ready(self) -> Engine:
        service = self._service
        embedder = service.open_embedder()
        matrix = VectorMatrix(str(Path(service.folder.vectors) / MATRIX_FILE), dimensions=embedder.dimensions)
        turns = None if service.is_remote else Turns()
        indexing = IndexThread(
            Indexer(embedder, matrix, sizes=service.sizes, turns=turns), folder=service.folder, stop=self._stop
        )
        indexing.load()
        answerer = Answerer(embedder, matrix, turns=turns, scale=lambda: indexing.scale)
        self._write_down(model_id=embedder.model_id, dimensions=embedder.dimensions, problem="", started_at=time.time())
        indexing.start()
        self._last_asked = time.monotonic()
        self._engine = Engine(answerer, indexing)
        logger.info("ready after %.1f s with %s", self._last_asked - self._started, embedder.model_id)
        return self._engine

    def _work(self, engine: Engine) -> None:
        next_look = 0.0
        while not self._stop.is_set():
            questions = self._inbox.take(most=MOST_AT_ONCE, wait_seconds=TICK_SECONDS)
            if questions:
                engine.answerer.answer(questions)
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + TICK_SECONDS
                self._look_around(engine.indexing)

    def _look_around(self, indexing: IndexThread) -> None:
        reason = self._reason_to_end(indexing)
        if reason:
            logger.info("ends: %s", reason)
            self._stop.set()
        else:
            indexing.look()

    def _reason_to_end(self, indexing: IndexThread) -> str:
        if not self._is_address_own():
            return "its address is gone"
        if self._service.is_outdated():
            return "its settings have changed"
        is_idle = time.monotonic() - self._last_asked > self._service.idle_seconds
        if is_idle and not indexing.is_busy:
            return f"nobody asked for {self._service.idle_seconds:.0f} s"
        return ""

    def _is_address_own(self) -> bool:
        try:
            address = read_address(self._service.folder)
        except ServerMissing:
            return False
        return {**address, **self._listener.address} == address

    def _reply(self, question: dict[str, Any]) -> dict[str, Any]:
        """What one caller is told; called from the callers' threads."""
        asked = question.get("ask")
        if asked == "stop":
            self._end()
            return {"state": STOPPING}
        if asked == "status":
            return self._status()
        if question.get("version") not in ("", self._service.version):
            logger.info("ends: a caller is of version %s", question.get("version"))
            self._end()
            return {"state": STALE}
        if self._engine is None:
            return {"state": STARTING}
        if asked == "reindex":
            self._engine.indexing.start_over()
            return self._status()
        if self._engine.indexing.count_visible(str(question.get("project", ""))) < _least_rules(question):
            return {"state": FEW}
        return self._near(question)

    def _near(self, question: dict[str, Any]) -> dict[str, Any]:
        self._last_asked = time.monotonic()
        waiting = Question(
            str(question.get("prompt", "")),
            project_id=str(question.get("project", "")),
            deadline=self._last_asked + _wait_seconds(question),
        )
        self._inbox.put(waiting)
        return waiting.wait() or {"state": "late", "problem": "it has too much to do"}

    def _status(self) -> dict[str, Any]:
        now = time.monotonic()
        status: dict[str, Any] = {
            "state": STARTING if self._engine is None else READY,
            "up_seconds": now - self._started,
            "idle_seconds": now - self._last_asked,
            "ends_after_seconds": self._service.idle_seconds,
        }
        if self._engine is not None:
            status |= self._engine.indexing.status()
        return status

    def _end(self) -> None:
        self._stop.set()
        self._inbox.wake()

    def _write_down(self, **changes: Any) -> None:
        try:
            update_record(self._service.folder, **changes)
        except OSError:
            logger.exception("the record cannot be written")


def _least_rules(question: dict[str, Any]) -> int:
    least = question.get("least_rules")
    return least if isinstance(least, int) else 0


def _wait_seconds(question: dict[str, Any]) -> float:
    wait_ms = question.get("wait_ms")
    return min(wait_ms, MOST_WAIT_MS) / 1000 if isinstance(wait_ms, (int, float)) else 0.0
