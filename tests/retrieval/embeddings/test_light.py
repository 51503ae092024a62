"""The light backend, with its real weights."""

import numpy as np
import pytest

from retrieval.embeddings.backends import open_embedder
from tests.retrieval.embeddings.making import embed_settings


@pytest.fixture(scope="module")
def light(tmp_path_factory):
    return open_embedder(embed_settings(embed_backend="light"), models_folder=tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize("prompt", ["push my branch by force", "强制推送到我的分支", "ブランチを強制プッシュする"])
def test_a_prompt_in_another_language_is_nearest_to_the_rule_it_is_about(light, prompt):
    rules = ["force pushing a branch to the remote", "restoring the database from a backup", "choosing a font"]

    (query,) = light.encode_query([prompt])

    assert np.argmax(light.encode_document(rules) @ query) == 0


def test_its_vectors_are_unit_vectors_of_the_length_it_tells(light):
    vectors = light.encode_document(["a rule", "", "规则"])

    assert vectors.shape == (3, light.dimensions)
    assert np.linalg.norm(vectors[[0, 2]], axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_no_text_gives_no_vector(light):
    assert light.encode_query([]).shape == (0, light.dimensions)


def test_a_prompt_of_a_megabyte_is_embedded_by_its_ends(light):
    (vector,) = light.encode_query(["do not push to main " * 50_000])

    assert np.isfinite(vector).all()


def test_it_knows_the_languages_of_the_pages_and_not_all(light):
    assert {"en", "zh", "ja"} < light.languages
    assert "fi" not in light.languages
