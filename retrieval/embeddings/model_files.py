"""The weights of a sentence-transformers model on disk: where they lie, whether they are whole, how they get there.

A model is a folder of the user's, or a name on the Hugging Face hub. A download goes to a folder named `.partial` and is
renamed when it is whole, so that a half-downloaded model is never taken for one.
"""

from __future__ import annotations

import re
from pathlib import Path

from retrieval.embeddings.protocol import EmbedderUnavailable

DEFAULT_MODEL = "ibm-granite/granite-embedding-97m-multilingual-r2"
PARTIAL = ".partial"
NEEDED = ("*.json", "*.safetensors", "*.txt", "*.model", "README.md")  # what inference reads
NOT_NEEDED = ("onnx/*", "openvino/*", "*/onnx/*", "*/openvino/*", "*.bin", "*.h5", "*.msgpack")
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def model_folder(model: str, *, models_folder: Path) -> Path:
    """Where the files of a model are, or would be; `model` "" is the default one."""
    own = Path(model).expanduser()
    if model and (own.is_absolute() or own.is_dir()):
        return own
    return models_folder / (model or DEFAULT_MODEL).replace("/", "--")


def is_model_present(model: str, *, models_folder: Path) -> bool:
    return why_not_a_model(model_folder(model, models_folder=models_folder)) == ""


def why_not_a_model(folder: Path) -> str:
    """Empty when the folder holds what sentence-transformers can load; else what it lacks."""
    if not folder.is_dir():
        return "there is no such folder"
    if not (folder / "modules.json").is_file():
        return "it has no modules.json, so it is not a sentence-transformers model"
    if not any(folder.rglob("*.safetensors")) and not any(folder.rglob("pytorch_model.bin")):
        return "it has no weights (*.safetensors)"
    return ""


def require_model(model: str, *, models_folder: Path) -> Path:
    """The folder of a model that can be loaded, as far as that shows without loading it. Raises EmbedderUnavailable."""
    folder = model_folder(model, models_folder=models_folder)
    lack = why_not_a_model(folder)
    if lack:
        raise EmbedderUnavailable(
            f"The model {model or DEFAULT_MODEL} is not at {folder}: {lack}; run `embed prefetch`."
        )
    return folder


def fetch_model(model: str, *, models_folder: Path) -> Path:
    """Downloads what inference needs of a model on the hub, or goes on with a download; returns its folder.

    Shows its progress on a terminal. Raises EmbedderUnavailable.
    """
    folder = model_folder(model, models_folder=models_folder)
    name = model or DEFAULT_MODEL
    if why_not_a_model(folder) == "":
        return folder
    if not HUB_NAME.fullmatch(name):
        raise EmbedderUnavailable(f"{name} is neither a folder nor a name such as owner/model; check embed.model.")
    partial = folder.with_name(folder.name + PARTIAL)
    _download(name, partial)
    lack = why_not_a_model(partial)
    if lack:
        raise EmbedderUnavailable(f"{name} was downloaded, but {lack}; choose another embed.model.")
    partial.rename(folder)
    return folder


def _download(name: str, folder: Path) -> None:
    try:
        from huggingface_hub import snapshot_download  # noqa: PLC0415  half a second; comes with sentence-transformers
        from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415
    except ImportError:
        raise EmbedderUnavailable(
            "The local model needs sentence-transformers: pip install 'nokori[local-embed]'."
        ) from None
    try:
        snapshot_download(name, local_dir=folder, allow_patterns=[*NEEDED], ignore_patterns=[*NOT_NEEDED])
    except HfHubHTTPError as error:
        raise EmbedderUnavailable(
            f"The hub does not give {name} ({_status(error)}); check embed.model, then run `embed prefetch` again."
        ) from error
    except (OSError, ValueError) as error:
        raise EmbedderUnavailable(
            f"{name} could not be downloaded ({type(error).__name__}); run `embed prefetch` again to go on."
        ) from error


def _status(error: Exception) -> str:
    response = getattr(error, "response", None)
    return f"HTTP {response.status_code}" if response is not None else type(error).__name__
