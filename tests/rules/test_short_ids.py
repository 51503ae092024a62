from itertools import pairwise
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from rules.short_ids import free_prefix, pick, pick_many

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


def test_a_rule_whose_digits_are_all_taken_gets_others():
    chosen = pick(FULL, lambda digits: ("abcdef" if digits == FULL else None, None))

    assert len(chosen) == 6
    assert chosen != "abcdef"


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


def test_one_and_many_choose_alike():
    full = UUID(int=5, version=4).hex

    assert pick(full, lambda _: (None, None)) == pick_many([full], taken=[])[full]
