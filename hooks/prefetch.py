"""What `install` fetches besides: the weights of the local embedding model, where its package is installed and wants them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.embeddings.backends import AUTOMATIC, SENTENCE_TRANSFORMERS, is_installed
from retrieval.embeddings.model_files import fetch_model, is_model_present
from retrieval.embeddings.protocol import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from retrieval.embeddings.backends import EmbedSettings
    from rules.disk import DataFolder

TRUE_WORDS = ("1", "true", "yes", "on")


def prefetch(
    config: EmbedSettings,
    *,
    folder: DataFolder,
    environ: Mapping[str, str],
    fetch: Callable[..., Path] = fetch_model,
) -> Iterator[str]:
    """One line when there was something to fetch. A download that fails is no reason for `install` to fail."""
    models = Path(folder.models)
    if not _is_wanted(config, environ) or is_model_present(config.embed_model, models_folder=models):
        return
    try:
        yield f"The embedding model is in {fetch(config.embed_model, models_folder=models)}."
    except EmbedderUnavailable as problem:
        yield f"The embedding model was not fetched, so prompts are matched by their words until then: {problem}"


def _is_wanted(config: EmbedSettings, environ: Mapping[str, str]) -> bool:
    """HF_HUB_OFFLINE is the hub's own way to say that nothing is to be downloaded."""
    is_offline = environ.get("HF_HUB_OFFLINE", "").strip().lower() in TRUE_WORDS
    is_chosen = config.embed_backend in (AUTOMATIC, SENTENCE_TRANSFORMERS) and not config.embed_base_url
    return is_chosen and is_installed(SENTENCE_TRANSFORMERS) and not is_offline
