from datetime import timedelta

import pytest

from extraction.neighbours import Neighbourhood
from tests.extraction.making import PROJECT, make_candidate
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


def matches(candidate, project=PROJECT):
    return [rule.trigger for rule in Neighbourhood(project).matches(candidate)]


def test_a_rule_about_the_same_thing_is_a_neighbour():
    make_rule(trigger="Force pushing to a shared branch")
    make_rule(trigger="Naming a database migration", action="Start with the table's name")

    assert matches(make_candidate()) == ["Force pushing to a shared branch"]


def test_nb091_filler_words_make_no_neighbours_and_a_rare_name_does():
    make_rule(trigger="Splitting three parts of the report", action="Number them")
    make_rule(trigger="Editing spawn.py", action="Keep its imports late")

    candidate = make_candidate(
        trigger="Refactoring spawn.py into three parts of the module",
        action="Leave spawn.py as it is, and keep the three parts of the facade apart",
    )

    assert matches(candidate) == ["Editing spawn.py"]


@pytest.mark.parametrize(
    ("changes", "is_comparable"),
    [
        ({}, True),
        ({"status": "candidate", "confidence": "medium"}, True),
        ({"status": "candidate", "project_id": PROJECT}, True),
        ({"status": "dormant"}, True),
        ({"status": "merged"}, False),
        ({"status": "archived"}, False),
        ({"project_id": "other-12345678"}, False),
    ],
    ids=["global active", "global candidate", "own candidate", "dormant", "merged", "archived", "other project"],
)
def test_only_rules_in_scope_that_may_be_in_use_are_compared(changes, is_comparable):
    make_rule(**changes)

    assert bool(Neighbourhood(PROJECT).neighbours(make_candidate())) == is_comparable


def test_too_few_matches_are_filled_up_with_what_was_written_last():
    match = make_rule(trigger="Force pushing to a shared branch", updated_at=NOW - timedelta(days=9))
    others = [
        make_rule(trigger=f"Topic {word}", action=f"Do {word}", updated_at=NOW - timedelta(days=day))
        for day, word in enumerate(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"])
    ]

    assert Neighbourhood(PROJECT).neighbours(make_candidate()) == [match, *others[:4]]


def test_a_hit_does_not_make_a_rule_recent():
    old = make_rule(trigger="Topic alpha", action="Do alpha", updated_at=NOW - timedelta(days=9))
    for word in ("beta", "gamma", "delta", "epsilon", "zeta"):
        make_rule(trigger=f"Topic {word}", action=f"Do {word}")
    type(old).objects.filter(pk=old.pk).update(last_hit=NOW, hit_count=7)

    assert old not in Neighbourhood(PROJECT).neighbours(
        make_candidate(trigger="Watering plants", action="Daily", quote="x")
    )


def test_many_matches_are_cut():
    for number in range(20):
        make_rule(trigger=f"Force pushing to shared branch number {number}")

    assert len(Neighbourhood(PROJECT).neighbours(make_candidate())) == 10


def test_a_rule_that_was_just_learned_is_a_neighbour_of_the_next_candidate():
    neighbourhood = Neighbourhood(PROJECT)
    assert neighbourhood.neighbours(make_candidate()) == []

    rule = make_rule()

    assert neighbourhood.matches(make_candidate()) == [rule]


def test_the_index_is_not_built_again_while_nothing_changes(django_assert_num_queries):
    make_rule()
    neighbourhood = Neighbourhood(PROJECT)
    neighbourhood.matches(make_candidate())

    with django_assert_num_queries(2):  # the pool's counter, and the rules that were found
        neighbourhood.matches(make_candidate())
