"""scoring: skipping leaves out only what stays under the floor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.lexical.scoring import FEW_RULES, Posting, score, score_dense

WEIGHTS = st.floats(min_value=0.01, max_value=3.0)
RULE_COUNT = 1_000
POSTINGS = st.lists(st.dictionaries(st.integers(0, 60), WEIGHTS, max_size=40), max_size=12)


def posting_of(weights: dict[int, float], *, share: float = 1.0) -> Posting:
    rules = sorted(weights)
    return Posting(
        rules=rules,
        weights=[weights[rule] for rule in rules],
        peak=max(weights.values(), default=0.0),
        rule_count=RULE_COUNT,
        share=share,
    )


@pytest.mark.parametrize("way", [score, score_dense])
@given(POSTINGS, st.floats(min_value=0.0, max_value=8.0), st.sampled_from([1.0, 0.5]))
def test_every_rule_that_reaches_the_floor_has_its_whole_sum(way, columns, floor, share):
    found = way([posting_of(column, share=share) for column in columns], floor=floor)

    sums = {rule: share * sum(column.get(rule, 0.0) for column in columns) for rule in set().union(*columns)}
    for rule, evidence in sums.items():
        if evidence >= floor + 1e-6:
            assert found[rule] == pytest.approx(evidence)
    assert all(evidence >= floor and evidence == pytest.approx(sums[rule]) for rule, evidence in found.items())


def test_a_common_term_is_looked_up_for_the_few_rules_that_are_left():
    rare = posting_of({7: 2.0})
    common = posting_of(dict.fromkeys(range(1_000), 0.5))

    assert score([common, rare], floor=2.2) == {7: 2.5}


def test_a_dense_passage_finds_the_rule_that_holds_enough_of_its_terms():
    crowded = [dict.fromkeys(range(number, 1_000, 7), 0.5) for number in range(7)]
    terms = [posting_of(column | {3: 0.5}) for column in crowded]

    assert all(len(term.rules) > FEW_RULES for term in terms)
    assert score_dense(terms, floor=2.0) == score(terms, floor=2.0) == {3: 3.5}


def test_a_dense_passage_finds_the_rule_of_a_rare_term():
    crowded = [posting_of(dict.fromkeys(range(number, 1_000, 7), 0.5)) for number in range(7)]

    assert score_dense([*crowded, posting_of({5: 3.0})], floor=3.4) == {5: 3.5}


def test_a_posting_knows_its_rules():
    posting = posting_of({3: 1.0, 9: 1.0})

    assert [posting.holds(rule) for rule in (2, 3, 9, 10)] == [False, True, True, False]


def test_nothing_scores_nothing():
    assert score([], floor=0.0) == {}
