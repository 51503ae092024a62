"""What every embedding backend is: texts in, one unit vector of float32 for each out.

Vectors are finite and of one length, so that a cosine is a dot product. What a backend cannot do ends in
EmbedderUnavailable, whose one sentence tells what is wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class EmbedderUnavailable(Exception):
    """The backend cannot give vectors; the message is one sentence: what is wrong, and what to do."""


class Embedder(Protocol):
    """A model that is loaded, or an endpoint that answers."""

    @property
    def model_id(self) -> str:
        """Names the vectors: those of another model_id are never compared with these."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes of what the model knows; None = every language."""
        ...

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """One row for each prompt. Raises EmbedderUnavailable."""
        ...

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """One row for each rule's text. Raises EmbedderUnavailable."""
        ...
