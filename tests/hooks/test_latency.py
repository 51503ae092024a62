"""Milliseconds in buckets that double, and the quantiles read back from them."""

import pytest

from hooks.latency import BUCKET_COUNT, add_buckets, bucket_number, quantile_ms


@pytest.mark.parametrize(
    ("ms", "number"),
    [(0.0, 0), (0.99, 0), (1.0, 1), (1.9, 1), (2.0, 2), (40.0, 6), (64.0, 7), (10_000_000.0, BUCKET_COUNT - 1)],
)
def test_a_call_lies_in_the_bucket_whose_bounds_hold_it(ms, number):
    assert bucket_number(ms) == number


def test_buckets_of_different_length_add_up():
    assert add_buckets([1, 2], [0, 1, 5])[:4] == [1, 3, 5, 0]


def test_a_quantile_lies_inside_the_bucket_that_holds_its_rank():
    ninety_five_fast_and_five_slow = [0, 0, 0, 0, 0, 95, 0, 0, 5]

    assert quantile_ms(ninety_five_fast_and_five_slow, 0.5) == pytest.approx(16 + 16 * 50 / 95)
    assert quantile_ms(ninety_five_fast_and_five_slow, 0.95) == 32
    assert quantile_ms(ninety_five_fast_and_five_slow, 0.99) == pytest.approx(128 + 128 * 4 / 5)


def test_there_is_no_quantile_without_calls():
    assert quantile_ms([], 0.95) is None
