"""floors: a quantile of accidents, never under the least that is evidence at all."""

from __future__ import annotations

import pytest

from retrieval.lexical.floors import MIN_FLOOR, best_needed, floor_above, floor_for
from retrieval.lexical.results import Floors


def test_the_quantile_lies_between_neighbours():
    values = [9.0, 7.0, 5.0, 3.0]

    assert floor_above(values, count=201, quantile=0.99) == pytest.approx(5.0)
    assert floor_above(values, count=151, quantile=0.99) == pytest.approx(6.0)


@pytest.mark.parametrize("count", [1, 2, 50, 200, 1_000])
def test_enough_of_the_best_values_are_kept(count):
    everything = [5.0 + number for number in range(count, 0, -1)]
    needed = best_needed(count, quantile=0.98)

    kept = floor_above(everything[:needed], count=count, quantile=0.98)

    assert kept == floor_above(everything, count=count, quantile=0.98)


def test_without_accidents_the_least_floor_holds():
    assert floor_above([], count=0, quantile=0.98) == MIN_FLOOR
    assert floor_above([0.0] * 5, count=200, quantile=0.98) == MIN_FLOOR


def test_long_prompts_have_a_floor_of_their_own():
    floors = Floors(short=1.0, long=2.0)

    assert (floor_for(floors, is_long=False), floor_for(floors, is_long=True)) == (1.0, 2.0)
