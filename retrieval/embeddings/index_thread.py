"""The server's second thread: brings vectors and their scale up to date whenever the published rules change.

It works between prompts, keeps what is done, and goes on later when the model, the endpoint or the database fails.
"""

from __future__ import annotations

import logging
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, connection

from retrieval.embeddings.offtopic_vectors import offtopic_vectors
from retrieval.embeddings.pools import PublishedPools
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.record import update_record
from retrieval.embeddings.scale import CosineScale, cosine_scale

if TYPE_CHECKING:
    from retrieval.embeddings.indexing import Indexer
    from rules.disk import DataFolder

RETRY_SECONDS = 30.0
OLD_SCALE_SHARE = 0.05  # of the rules encoded since the scale was computed, as for the words' floors
END_SECONDS = 5.0

logger = logging.getLogger(__name__)


class IndexThread:
    def __init__(self, indexer: Indexer, *, folder: DataFolder, stop: Event) -> None:
        self.problem = ""
        self.scale: CosineScale | None = None
        self._indexer = indexer
        self._matrix = indexer.matrix
        self._folder = folder
        self._pools = PublishedPools(folder.published)
        self._stop = stop
        self._wake = Event()
        self._is_working = True
        self._is_to_start_over = False
        self._encoded = 0  # rules since the scale was computed
        self._thread = Thread(target=self._run, daemon=True)

    @property
    def is_busy(self) -> bool:
        return self._is_working or self._is_to_start_over

    def load(self) -> None:
        """What was kept, so that prompts can be answered before anything is encoded."""
        self._pools.look()
        self._indexer.load()
        self._matrix.place(self._pools.places, content_id=self._pools.content_id)
        connection.close()

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """`stop` is set by now; the batch at hand is kept or not at all."""
        self._wake.set()
        self._thread.join(END_SECONDS)

    def look(self) -> None:
        """Goes to work when the published rules changed."""
        if self._pools.look():
            self._matrix.place(self._pools.places, content_id=self._pools.content_id)
            self._wake.set()

    def count_visible(self, project_id: str) -> int:
        return self._pools.count_visible(project_id)

    def start_over(self) -> None:
        self._is_to_start_over = True
        self._wake.set()

    def status(self) -> dict[str, Any]:
        return {
            "model": self._indexer.embedder.model_id,
            "dimensions": self._indexer.embedder.dimensions,
            "rules": len(self._pools.places),
            "missing": max(len(self._indexer.todo), len(self._pools.places) - len(self._matrix)),
            "is_indexing": self.is_busy,
            "problem": self.problem,
        }

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            self._is_working = True
            self.problem = self._try_to_catch_up()
            self._is_working = False
            self._wake.wait(RETRY_SECONDS if self.problem else None)

    def _try_to_catch_up(self) -> str:
        """What kept it from that; "" when nothing did."""
        try:
            self._catch_up()
        except EmbedderUnavailable as error:
            return str(error)
        except (DatabaseError, OSError) as error:
            return f"The vectors cannot be kept ({type(error).__name__}); see `health`."
        except Exception as error:  # prompts are answered all the same
            logger.exception("indexing failed")
            return f"Indexing failed ({type(error).__name__}); see logs/embed-server.log."
        finally:
            connection.close()
        return ""

    def _catch_up(self) -> None:
        is_starting_over = self._is_to_start_over
        if is_starting_over:
            self._indexer.start_over()
            self._is_to_start_over = False
        self._indexer.plan()
        if self.scale is None:
            self._compute_scale()  # for what was kept, before what may take long
        while not self._stop.is_set() and (encoded := self._indexer.step()):
            self._encoded += encoded
        if self._stop.is_set():
            return
        if is_starting_over:
            self._indexer.forget_other_models()
        if self._encoded > OLD_SCALE_SHARE * len(self._matrix):
            self._compute_scale()
        update_record(self._folder, counter=self._indexer.counter, problem="")

    def _compute_scale(self) -> None:
        """None stays None while no rule is both published and encoded."""
        vectors = self._matrix.vectors()
        if len(vectors):
            offtopic = offtopic_vectors(
                self._indexer.embedder, self._folder.vectors, encode=self._indexer.encode_prompts
            )
            self.scale = cosine_scale(offtopic, vectors)
            self._encoded = 0
