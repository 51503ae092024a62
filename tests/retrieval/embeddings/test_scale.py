"""What a cosine says for one model and one rule base."""

import numpy as np
import pytest

from retrieval.embeddings.scale import cosine_scale


def unit(rows):
    vectors = np.asarray(rows, dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def random_vectors(count, *, seed, shift=0.0):
    return unit(np.random.default_rng(seed).normal(size=(count, 16)) + shift)


def test_an_ordinary_prompt_and_rule_have_no_lift():
    offtopic, rules = random_vectors(100, seed=1), random_vectors(30, seed=2)
    prompts = random_vectors(200, seed=3)
    scale = cosine_scale(offtopic, rules)

    lifts = prompts @ rules.T - np.asarray(scale.offsets(prompts))[:, None]

    assert lifts.mean() == pytest.approx(0, abs=0.05)


def test_a_model_whose_cosines_are_all_high_gets_about_the_same_answer():
    plain = cosine_scale(random_vectors(100, seed=1), random_vectors(30, seed=2))
    crowded = cosine_scale(random_vectors(100, seed=1, shift=2.0), random_vectors(30, seed=2, shift=2.0))

    assert crowded.floors[0] < plain.floors[0]
    assert np.mean(crowded.offsets(random_vectors(20, seed=3, shift=2.0))) > 0.7


def test_what_is_like_many_off_topic_prompts_has_a_greater_offset():
    offtopic = np.concatenate([random_vectors(40, seed=1), unit([[1.0] + [0.01] * 15] * 40)])
    scale = cosine_scale(offtopic, random_vectors(30, seed=2))

    everyday, unusual = scale.offsets(unit([[1.0] + [0.0] * 15, [0.0] * 15 + [1.0]]))

    assert everyday > unusual + 0.3


def test_being_enough_alone_takes_more_than_the_floor():
    warm, alone = cosine_scale(random_vectors(100, seed=1), random_vectors(30, seed=2)).floors

    assert 0 < warm < alone


@pytest.mark.parametrize("rules", [1, 2])
def test_few_rules_and_few_prompts_have_a_scale_too(rules):
    scale = cosine_scale(random_vectors(3, seed=1), random_vectors(rules, seed=2))

    assert all(0 < floor < 10 for floor in scale.floors)
    assert np.isfinite(scale.offsets(random_vectors(2, seed=3))).all()
