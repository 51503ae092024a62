"""bm25: the formula in its parts."""

from __future__ import annotations

import pytest

from retrieval.lexical.bm25 import idf, norm, saturation


def test_a_rare_term_says_more_than_a_common_one():
    assert idf("lease", frequency=1, population=100) > 3 * idf("run", frequency=40, population=100) > 0


def test_a_term_that_every_text_holds_says_next_to_nothing():
    assert 0 < idf("run", frequency=100, population=100) < 0.01


def test_the_first_text_in_a_script_has_terms_that_say_something():
    assert idf("강제", frequency=1, population=1) == idf("강제", frequency=1, population=50) > 3
    assert idf("강제", frequency=1, population=0) > 3


def test_a_single_character_counts_half():
    assert idf("推", frequency=3, population=90) == idf("强推", frequency=3, population=90) / 2


def test_repeats_saturate_and_long_rules_weigh_less():
    assert saturation(1, relative_length=1.0) == pytest.approx(1.0)
    assert 1 < saturation(100, relative_length=1.0) < 2.2
    assert saturation(1, relative_length=3.0) < saturation(1, relative_length=1.0)


def test_the_norm_grows_slowly_and_never_falls_below_one():
    assert norm(27.0) == pytest.approx(3.0)
    assert norm(0.0) == 1.0
