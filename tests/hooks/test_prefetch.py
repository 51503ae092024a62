"""When `install` fetches the weights of the local embedding model, and what it says of it."""

import json
from pathlib import Path

import pytest
from django.conf import settings

from hooks import prefetch as module
from hooks.prefetch import prefetch
from nokori_site.config import load_config
from retrieval.embeddings.protocol import EmbedderUnavailable


@pytest.fixture
def fetched(data_folder, monkeypatch):
    """fetched(NAME=value) are the lines that `install` adds with these settings, and the models that were asked for."""
    monkeypatch.setattr(module, "is_installed", lambda backend: True)

    def ask(*, offline="0", fails=False, **environ):
        asked = []

        def fetch(model, *, models_folder):
            asked.append(model)
            if fails:
                raise EmbedderUnavailable("The hub is not there.")
            return Path(models_folder, "model")

        config = load_config({"NOKORI_DATA_DIR": data_folder.root, **environ})
        lines = list(prefetch(config, folder=data_folder, environ={"HF_HUB_OFFLINE": offline}, fetch=fetch))
        return lines, asked

    return ask


def test_the_model_is_fetched_where_its_package_is_installed(fetched, data_folder):
    lines, asked = fetched(NOKORI_EMBED_MODEL="me/mine")

    assert asked == ["me/mine"]
    assert lines == [f"The embedding model is in {Path(data_folder.models, 'model')}."]


def test_without_the_package_nothing_is_fetched(fetched, monkeypatch):
    monkeypatch.setattr(module, "is_installed", lambda backend: False)

    assert fetched() == ([], [])


@pytest.mark.parametrize(
    "environ",
    [{"NOKORI_EMBED_BASE_URL": "http://localhost:1/v1"}, {"NOKORI_EMBED_BACKEND": "light"}, {"offline": "1"}],
    ids=["endpoint", "another backend", "offline"],
)
def test_where_another_backend_is_chosen_or_nothing_may_be_downloaded_nothing_is_fetched(fetched, environ):
    assert fetched(**environ) == ([], [])


def test_a_model_that_is_there_is_not_fetched_again(fetched, data_folder):
    folder = Path(data_folder.models, "me--mine")
    folder.mkdir(parents=True)
    for name in ("modules.json", "model.safetensors"):
        (folder / name).write_text("{}")

    assert fetched(NOKORI_EMBED_MODEL="me/mine") == ([], [])


def test_a_download_that_fails_is_told_and_stops_nothing(fetched):
    (line,), _ = fetched(fails=True)

    assert "was not fetched" in line
    assert "The hub is not there." in line


@pytest.mark.parametrize("options", [[], ["--no-prefetch-embed"]], ids=["as it comes", "told not to"])
def test_install_ends_well_either_way(run_manage, options):
    result = run_manage("install", *options)

    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(Path(settings.NOKORI.claude_home, "settings.json").read_text())["hooks"]
