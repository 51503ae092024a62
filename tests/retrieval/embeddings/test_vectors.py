"""Clean vectors: length 1, finite, of the shape that was asked for."""

import numpy as np
import pytest

from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.vectors import unit_vectors
from tests.fakes import FakeEmbedder


def test_every_vector_has_length_one():
    vectors = unit_vectors([[3, 4], [0, 2]], count=2, dimensions=2, source="The model")

    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 1]]


def test_a_zero_vector_stays_one():
    vectors = unit_vectors([[0, 0]], count=1, dimensions=2, source="The model")

    assert vectors.tolist() == [[0, 0]]


def test_no_text_gives_no_vector():
    assert unit_vectors([], count=0, dimensions=3, source="The model").shape == (0, 3)


@pytest.mark.parametrize(
    ("raw", "count", "what"),
    [
        pytest.param([[1, float("nan")]], 1, "NaN", id="NaN"),
        pytest.param([[1, float("inf")]], 1, "NaN", id="infinite"),
        pytest.param([[1, 2, 3]], 1, "3 numbers instead of 2", id="other dimensions"),
        pytest.param([[1, 2]], 2, "one vector for each text", id="too few"),
        pytest.param([[1, 2], [1]], 2, "different lengths", id="ragged"),
        pytest.param([["a", "b"]], 1, "different lengths", id="not numbers"),
    ],
)
def test_what_is_no_vector_is_refused_in_one_sentence(raw, count, what):
    with pytest.raises(EmbedderUnavailable, match=what) as refused:
        unit_vectors(raw, count=count, dimensions=2, source="The model")

    assert str(refused.value).startswith("The model gave") or "did not give" in str(refused.value)
    assert str(refused.value).endswith(".")


def test_the_fake_puts_texts_that_share_words_near_each_other():
    query, near, far = FakeEmbedder().encode_query(["push to main", "never push to main", "restore the database"])

    assert query @ near > 0.7 > query @ far
