"""tiers: ranked hits in, HOT, WARM and COLD out, each with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval.lexical.results import Hit, Tier
from retrieval.lexical.tiers import assign_tiers, why_not_enough
from tests.retrieval.indexes import make_document


def make_hit(bm25: float, *, status: str = "active", **changes) -> Hit:
    numbers: dict[str, Any] = {"evidence": 3.0, "coverage": 0.8, "words": (), "word_count": 3, "variant_hit": False}
    return Hit(make_document("Trigger", status=status), bm25=bm25, **(numbers | changes))


def judged(*hits: Hit, floor: float = 1.0, is_long: bool = False) -> list[str]:
    assign_tiers(hits, floor=floor, is_long=is_long)
    return [hit.tier for hit in hits]


def test_a_single_good_hit_is_hot():
    assert judged(make_hit(10.0)) == [Tier.HOT]


@pytest.mark.parametrize(("second", "tier"), [(7.6, Tier.HOT), (7.8, Tier.WARM)])
def test_hot_takes_thirty_percent_more_than_the_second(second, tier):
    assert judged(make_hit(10.0), make_hit(second))[0] == tier


@pytest.mark.parametrize(("second_too", "tier"), [(False, Tier.HOT), (True, Tier.WARM)])
def test_similar_rules_do_not_blur_a_trigger_that_alone_is_there_word_for_word(second_too, tier):
    first = make_hit(10.0, is_word_for_word=True)

    assert judged(first, make_hit(9.0, is_word_for_word=second_too))[0] == tier


@pytest.mark.parametrize(("evidence", "tier"), [(1.31, Tier.HOT), (1.29, Tier.WARM)])
def test_hot_takes_thirty_percent_more_than_the_floor(evidence, tier):
    assert judged(make_hit(10.0, evidence=evidence), floor=1.0) == [tier]


def test_a_trigger_that_is_there_word_for_word_needs_the_floor_only():
    assert judged(make_hit(10.0, evidence=1.1, is_word_for_word=True), floor=1.0) == [Tier.HOT]


@pytest.mark.parametrize(("coverage", "tier"), [(0.41, Tier.HOT), (0.39, Tier.WARM)])
def test_hot_takes_enough_of_a_trigger(coverage, tier):
    assert judged(make_hit(10.0, coverage=coverage)) == [tier]


@pytest.mark.parametrize(("coverage", "tier"), [(0.61, Tier.HOT), (0.59, Tier.WARM)])
def test_hot_takes_more_of_it_in_a_long_paste(coverage, tier):
    assert judged(make_hit(10.0, coverage=coverage), is_long=True) == [tier]


def test_a_dormant_rule_is_never_hot_but_wakes_up():
    hit = make_hit(10.0, status="dormant")

    assert judged(hit) == [Tier.WARM]
    assert hit.reactivates
    assert "dormant" in hit.reason


def test_a_dormant_rule_that_would_only_be_warm_sleeps_on():
    hit = make_hit(10.0, status="dormant", coverage=0.1)

    judged(hit)

    assert not hit.reactivates


def test_five_hits_are_shown_and_one_at_most_is_hot():
    tiers = judged(*(make_hit(100.0 / 2**place) for place in range(7)))

    assert tiers == [Tier.HOT, *[Tier.WARM] * 4, *[Tier.COLD] * 2]


@pytest.mark.parametrize(
    ("changes", "is_enough"),
    [
        ({"word_count": 2}, True),
        ({"word_count": 1}, False),
        ({"word_count": 1, "variant_hit": True}, True),
        ({"word_count": 1, "is_word_for_word": True}, True),
        ({"word_count": 0, "variant_hit": True}, False),
        ({"evidence": 0.9}, False),
    ],
)
def test_evidence_takes_the_floor_and_two_words_or_a_whole_variant(changes, is_enough):
    assert (why_not_enough(make_hit(10.0, **changes), floor=1.0) == "") is is_enough


def test_every_hit_has_a_reason():
    hits = [make_hit(100.0 / 2**place) for place in range(7)]

    assign_tiers(hits, floor=1.0, is_long=False)

    assert all(hit.reason for hit in hits)
