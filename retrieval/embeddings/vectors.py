"""What a model gave in, clean vectors out: float32, finite, of the expected shape, of length 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.embeddings.protocol import EmbedderUnavailable

if TYPE_CHECKING:
    from retrieval.embeddings.protocol import Vectors


def unit_vectors(raw: Any, *, count: int, dimensions: int, source: str) -> Vectors:
    """`raw` is whatever came, also what is no array. `dimensions` 0 takes any length; a zero vector stays one. Raises EmbedderUnavailable."""
    try:
        vectors = np.asarray(raw, dtype=np.float32)
    except (TypeError, ValueError):
        raise EmbedderUnavailable(f"{source} gave vectors of different lengths; choose another model.") from None
    if count == 0:
        return np.zeros((0, dimensions), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != count:
        raise EmbedderUnavailable(f"{source} did not give one vector for each text; choose another model.")
    if dimensions and vectors.shape[1] != dimensions:
        raise EmbedderUnavailable(
            f"{source} gave vectors of {vectors.shape[1]} numbers instead of {dimensions}; "
            "set embed.dimensions to what it gives, or to 0, and run `embed reindex`."
        )
    if not np.isfinite(vectors).all():
        raise EmbedderUnavailable(f"{source} gave vectors that hold no numbers (NaN); its weights are damaged.")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    unit: Vectors = vectors / lengths
    return unit
