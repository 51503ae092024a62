"""A sentence-transformers model from its files on disk: nothing is downloaded here, and nothing leaves the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer
from transformers.utils import logging as transformers_logging

from retrieval.embeddings.chunks import clip_query
from retrieval.embeddings.languages import languages_of_card, languages_of_name
from retrieval.embeddings.model_files import DEFAULT_MODEL, require_model
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.vectors import unit_vectors

if TYPE_CHECKING:
    from retrieval.embeddings.protocol import Vectors

BATCH = 16  # texts; prompts wait behind one batch of rules
THREADS = 1  # two on a busy machine spin against each other: fifty times slower
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError, SafetensorError)


class SentenceTransformerEmbedder:
    """Loaded on construction, which takes several seconds. Raises EmbedderUnavailable."""

    def __init__(self, model: str, *, models_folder: Path, languages: frozenset[str] | None = None) -> None:
        folder = require_model(model, models_folder=models_folder)
        self.model_id = model or DEFAULT_MODEL
        self.languages = languages or languages_of_card(folder) or languages_of_name(self.model_id)
        self.dimensions = 0
        self._model = _load(folder, name=self.model_id)
        self.dimensions = self.encode_query(["finds damaged weights"]).shape[1]

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self._model.encode_query, [clip_query(text) for text in texts])

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self._model.encode_document, list(texts))

    def _encode(self, encode: Callable[..., object], texts: list[str]) -> Vectors:
        raw = encode(texts, batch_size=BATCH, show_progress_bar=False) if texts else []
        source = f"The model {self.model_id}"
        return unit_vectors(raw, count=len(texts), dimensions=self.dimensions, source=source)


def _load(folder: Path, *, name: str) -> SentenceTransformer:
    torch.set_num_threads(THREADS)
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it has no types
    try:
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except UNREADABLE as error:
        raise EmbedderUnavailable(
            f"The model {name} cannot be loaded ({type(error).__name__}); "
            f"delete {folder} and run `embed prefetch`, or choose another embed.model."
        ) from error
