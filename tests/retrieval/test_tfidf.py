"""tfidf: the cosine of two texts, by hand."""

from math import log, sqrt

import pytest

from retrieval.tfidf import tfidf_cosine

IDFS = {"push": 2.0, "force": 3.0, "main": 1.0, "the": 0.0}


def test_common_terms_count_by_their_idf_and_their_number():
    found = tfidf_cosine({"push": 1, "force": 2}, {"force": 1, "main": 1}, idf=IDFS.__getitem__)

    twice = 3.0 * (1 + log(2))
    assert found == pytest.approx(twice * 3.0 / (sqrt(2.0**2 + twice**2) * sqrt(3.0**2 + 1.0**2)))


def test_the_same_words_are_wholly_alike_and_others_not_at_all():
    assert tfidf_cosine({"push": 2, "force": 1}, {"push": 2, "force": 1}, idf=IDFS.__getitem__) == pytest.approx(1.0)
    assert tfidf_cosine({"push": 1}, {"main": 1}, idf=IDFS.__getitem__) == 0.0


@pytest.mark.parametrize("counts", [{}, {"the": 3}], ids=["no words", "words that say nothing"])
def test_a_text_that_says_nothing_is_like_no_other(counts):
    assert tfidf_cosine(counts, {"push": 1}, idf=IDFS.__getitem__) == 0.0
