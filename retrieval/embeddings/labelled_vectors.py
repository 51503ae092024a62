"""A labelled set as a model sees it > the order by meaning, and for each query the answer that an embed server would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.calibration import offtopic_prompts
from retrieval.embeddings.chunks import rule_chunks
from retrieval.embeddings.scale import cosine_scale
from retrieval.lexical.languages import knows_language
from retrieval.lexical.meaning import FULL_LIST
from retrieval.lexical.results import DenseAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retrieval.embeddings.protocol import Embedder, Vectors
    from retrieval.lexical.results import Document

CHUNK_SIZE, CHUNK_COUNT = 4000, 2  # the settings' defaults
BATCH = 64  # texts encoded at a time


class LabelledVectors:
    """The documents and queries of one set, encoded. Raises EmbedderUnavailable."""

    def __init__(self, embedder: Embedder, documents: Sequence[Document], queries: Sequence[str]) -> None:
        self._embedder = embedder
        self._ids = [document.rule_id for document in documents]
        chunks = [rule_chunks(document, size=CHUNK_SIZE, count=CHUNK_COUNT) for document in documents]
        self._starts = np.cumsum([0, *map(len, chunks[:-1])])
        self._chunks = _in_batches(embedder.encode_document, [text for texts in chunks for text in texts])
        self._queries = dict(zip(queries, _in_batches(embedder.encode_query, list(queries)), strict=True))
        known = [prompt for prompt in offtopic_prompts() if knows_language(prompt, embedder.languages)]
        self._scale = cosine_scale(_in_batches(embedder.encode_query, known), self._chunks)

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    def knows(self, query: str) -> bool:
        return knows_language(query, self._embedder.languages)

    def nearest(self, query: str, *, limit: int) -> list[tuple[str, float]]:
        """Ids and cosines, best first; of a document's chunks the best counts."""
        cosines = np.maximum.reduceat(self._chunks @ self._queries[query], self._starts)
        return [(self._ids[place], float(cosines[place])) for place in np.argsort(-cosines, kind="stable")[:limit]]

    def answer(self, query: str) -> DenseAnswer:
        (offset,) = self._scale.offsets(self._queries[query][None])
        return DenseAnswer(
            self.model_id,
            formal=self.nearest(query, limit=FULL_LIST),
            shadow=(),
            floors=self._scale.floors,
            offset=offset,
            languages=self._embedder.languages,
        )


def _in_batches(encode: Callable[[list[str]], Vectors], texts: list[str]) -> Vectors:

    vectors: Vectors = np.concatenate([encode(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)])
    return vectors
