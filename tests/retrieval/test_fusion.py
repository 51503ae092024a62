"""The arithmetic of words and meaning together."""

import pytest

from retrieval.lexical.fusion import (
    WORDS_SHARE,
    convex_scores,
    fused_evidence,
    least_word_share,
    rrf_scores,
    top_bm25,
    words_weight,
)


def test_words_and_meaning_at_their_floors_are_just_enough():
    assert fused_evidence(1.0, 1.0) == pytest.approx(1.0)


def test_much_of_the_one_makes_up_for_little_of_the_other():
    assert fused_evidence(0.8, 1.5) > 1 > fused_evidence(0.8, 1.0)


def test_a_meaning_that_is_far_off_takes_from_the_words():
    assert fused_evidence(1.2, -1.0) < 1


@pytest.mark.parametrize("meaning", [0.0, 1.0, 2.0])
def test_the_least_words_are_those_that_reach_the_floor_with_this_meaning(meaning):
    assert fused_evidence(least_word_share(meaning), meaning) == pytest.approx(1.0)


def test_convex_weighs_both_lists_from_their_best_to_their_least():
    scores = convex_scores({"a": 4.0, "b": 2.0}, {"b": 0.8, "c": 0.2}, weight=0.5, top=4.0)

    assert scores == {"a": 0.5, "b": pytest.approx(0.75), "c": 0.0}


def test_convex_of_one_empty_list_is_the_other():
    assert convex_scores({"a": 4.0, "b": 1.0}, {}, weight=0.5, top=4.0) == {"a": 0.5, "b": 0.125}
    assert convex_scores({}, {"a": 0.9, "b": 0.1}, weight=0.5, top=1.0) == {"a": pytest.approx(0.5), "b": 0.0}


def test_one_chance_word_of_many_says_little():
    assert top_bm25([1.0], ideal=100.0) > 20.0
    assert top_bm25([60.0], ideal=100.0) == 60.0
    assert top_bm25([], ideal=0.0) == 1.0


def test_rrf_counts_places_and_no_values():
    scores = rrf_scores({"a": 100.0, "b": 1.0}, {"b": 0.9, "a": 0.8})

    assert scores["a"] == scores["b"] == pytest.approx(1 / 61 + 1 / 62)


def test_rrf_takes_the_first_ten_places_of_each_list():
    words = {f"rule-{place}": 100.0 - place for place in range(12)}

    assert sum(score > 0 for score in rrf_scores(words, {}).values()) == 10


def test_a_model_that_nobody_measured_gets_the_weight_in_the_middle():
    assert words_weight("some/model") == 0.5
    assert 0 < WORDS_SHARE < 1
