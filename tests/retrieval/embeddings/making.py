"""Settings for a backend, and tiny sentence-transformers models that are made on the spot."""

from __future__ import annotations

from types import SimpleNamespace


def embed_settings(**changes):
    return SimpleNamespace(
        **{
            "embed_backend": "auto",
            "embed_base_url": "",
            "embed_model": "",
            "embed_api_key": "",
            "embed_dimensions": 0,
            "embed_languages": "",
            "hook_embed_timeout": 2,
        }
        | changes
    )


def write_model_files(folder, *, without=()):
    """Files with the names of a model's; nothing can load them."""
    for name in {"modules.json", "config.json", "model.safetensors"} - set(without):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}", encoding="utf-8")
    return folder


def save_tiny_model(folder, *, value=None):
    """A real model of one embedding table, without any training; `value` fills the table."""
    import numpy as np  # noqa: PLC0415
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415  only two test modules need torch
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding  # noqa: PLC0415
    from tokenizers import Tokenizer  # noqa: PLC0415
    from tokenizers.models import WordLevel  # noqa: PLC0415
    from tokenizers.pre_tokenizers import Whitespace  # noqa: PLC0415

    words = {"[UNK]": 0, "push": 1, "restore": 2}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = Whitespace()
    table = np.eye(3, 4, dtype=np.float32) if value is None else np.full((3, 4), value, dtype=np.float32)
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=table)], device="cpu").save(str(folder))
    return folder
