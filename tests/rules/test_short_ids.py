from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.models import Rule
from rules.short_ids import adopt_many, free_prefix, pick_many
from tests.factories import make_rule, rule_values

FULL = "abcdef0123456789abcdef0123456789"
ids = st.sets(st.uuids(version=4).map(lambda value: value.hex), min_size=1, max_size=60)
crowded_ids = st.sets(st.text("01", min_size=4, max_size=4).map(lambda tail: "a" * 28 + tail), min_size=1)
taken_ids = st.sets(st.sampled_from(["aaaaaa", "bbbbbb", "c" * 32, "0000001"]))


def is_prefix_free(names):
    return not any(right.startswith(left) for left, right in pairwise(sorted(names)))


def test_six_digits_when_nothing_is_near():
    assert free_prefix(FULL, before=None, after="f" * 6) == "abcdef"


def test_one_digit_more_than_is_shared_with_a_longer_neighbour():
    assert free_prefix(FULL, before="abcdef00", after="abcdef019") == "abcdef012"


def test_none_when_a_taken_id_is_its_beginning():
    assert free_prefix(FULL, before="abcdef", after=None) is None
    assert free_prefix(FULL, before=FULL, after=None) is None


@given(ids, taken_ids)
def test_many_new_ids_and_the_taken_ones_are_prefix_free(fulls, taken):
    chosen = pick_many(fulls, taken=taken)

    assert set(chosen) == fulls
    assert all(6 <= len(name) <= 32 for name in chosen.values())
    assert is_prefix_free([*chosen.values(), *taken])


@given(crowded_ids)
def test_ids_that_share_their_first_digits_are_told_apart(fulls):
    chosen = pick_many(fulls, taken=["b" * 6])

    assert set(chosen) == fulls
    assert is_prefix_free([*chosen.values(), "b" * 6])


@pytest.mark.django_db
def test_a_rule_whose_digits_are_all_taken_gets_others():
    older = make_rule(short_id="abcdef")

    newer = make_rule(id=UUID(FULL))

    assert older.short_id == "abcdef"
    assert len(newer.short_id) == 6
    assert newer.short_id != "abcdef"


@pytest.mark.django_db
def test_one_new_rule_looks_at_both_neighbours():
    make_rule(short_id="abcdef00")
    make_rule(short_id="abcdef019")

    assert make_rule(id=UUID(FULL)).short_id == "abcdef012"


@pytest.mark.django_db
def test_many_new_rules_keep_clear_of_the_rules_that_exist_and_of_given_ids():
    make_rule(short_id="abcdef00")
    rules = [Rule(**rule_values(id=UUID(FULL))), Rule(**rule_values(short_id="abcdef019"))]

    Rule.objects.bulk_create(rules)

    assert Rule.objects.get(id=UUID(FULL)).short_id == "abcdef012"


@given(st.lists(st.text("0123456789abcdef", min_size=6, max_size=9), max_size=60), taken_ids)
def test_adopted_short_ids_and_the_taken_ones_are_prefix_free(wanted, taken):
    adopted = adopt_many(wanted, taken=taken)

    assert adopted <= set(wanted)
    assert is_prefix_free([*adopted, *taken])


@given(st.lists(st.text("0123456789abcdef", min_size=6, max_size=9), max_size=60), taken_ids)
def test_a_short_id_is_refused_only_for_a_clash(wanted, taken):
    adopted = adopt_many(wanted, taken=taken)

    assert all(not is_prefix_free([name, *adopted, *taken]) for name in set(wanted) - adopted - set(taken))
