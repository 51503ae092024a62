"""The shipped off-topic prompts as one model sees them: encoded once, then read from a file in the data folder."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.calibration import offtopic_prompts
from retrieval.lexical.languages import knows_language
from rules.disk import make_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from retrieval.embeddings.protocol import Embedder, Vectors


def offtopic_vectors(embedder: Embedder, folder: str, *, encode: Callable[[list[str]], Vectors]) -> Vectors:
    """One row for each prompt in a language that the model knows. `encode` is the embedder's, in turns with others. Raises EmbedderUnavailable, OSError."""
    prompts = tuple(prompt for prompt in offtopic_prompts() if knows_language(prompt, embedder.languages))
    path = Path(folder) / f"offtopic-{_name(embedder, prompts)}.npy"
    kept = _read(path, shape=(len(prompts), embedder.dimensions))
    if kept is not None:
        return kept
    vectors = np.concatenate([encode([prompt]) for prompt in prompts])  # one by one: people's own wait behind each
    make_folder(folder)
    with path.open("wb") as file:
        np.save(file, vectors)
    return vectors


def _read(path: Path, *, shape: tuple[int, int]) -> Vectors | None:
    """None when there is no such file, or another one than was written."""
    try:
        vectors: Vectors = np.load(path)
    except (OSError, ValueError, EOFError):
        return None
    return vectors if vectors.shape == shape and np.isfinite(vectors).all() else None


def _name(embedder: Embedder, prompts: tuple[str, ...]) -> str:
    content = "\0".join([embedder.model_id, str(embedder.dimensions), *prompts])
    return hashlib.sha256(content.encode()).hexdigest()[:16]
