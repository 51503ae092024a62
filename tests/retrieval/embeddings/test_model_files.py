"""Where the weights of a local model lie, and whether they are whole."""

from pathlib import Path

import pytest

from retrieval.embeddings.model_files import fetch_model, is_model_present, model_folder
from retrieval.embeddings.protocol import EmbedderUnavailable
from tests.retrieval.embeddings.making import write_model_files


def test_a_name_on_the_hub_has_a_folder_among_the_models(tmp_path):
    assert model_folder("owner/model", models_folder=tmp_path) == tmp_path / "owner--model"


def test_no_name_stands_for_the_default_model(tmp_path):
    folder = model_folder("", models_folder=tmp_path)

    assert folder == tmp_path / "ibm-granite--granite-embedding-97m-multilingual-r2"


def test_a_folder_is_taken_as_it_is(tmp_path):
    assert model_folder(str(tmp_path / "mine"), models_folder=Path("elsewhere")) == tmp_path / "mine"


@pytest.mark.parametrize(
    "missing", [(), ("modules.json",), ("model.safetensors",)], ids=["whole", "no list", "no weights"]
)
def test_a_model_is_present_when_its_list_and_its_weights_are(tmp_path, missing):
    write_model_files(tmp_path / "owner--model", without=missing)

    assert is_model_present("owner/model", models_folder=tmp_path) is (missing == ())


def test_what_was_fetched_only_in_part_is_not_present(tmp_path):
    write_model_files(tmp_path / "owner--model.partial")

    assert not is_model_present("owner/model", models_folder=tmp_path)


def test_a_model_that_is_there_is_not_fetched_again(tmp_path):
    folder = write_model_files(tmp_path / "owner--model")

    assert fetch_model("owner/model", models_folder=tmp_path) == folder


def test_what_is_no_name_on_the_hub_is_refused_before_anything_is_asked(tmp_path):
    with pytest.raises(EmbedderUnavailable, match=r"check embed\.model"):
        fetch_model("/no/such/folder", models_folder=tmp_path)
