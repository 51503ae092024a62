"""Near-duplicates: a rule that says nearly the same as a better one is not shown beside it."""

import pytest

from retrieval.lexical.overlap import overlap, words_of
from retrieval.lexical.results import Tier
from retrieval.lexical.search import search
from tests.retrieval.indexes import make_document, make_index

PUSH = make_document("Force pushing to a shared branch", action="Ask the owner of the branch first", number=1)
TWIN = make_document("Force pushing to the shared branch", action="Ask the branch's owner first", number=2)
RELATED = make_document("Force pushing to a shared branch", action="Use --force-with-lease instead", number=3)
PROMPT = "force pushing to a shared branch"


def tiers(*rules, **options):
    hits = search(PROMPT, index=make_index(*rules), project_id="", **options)
    return {hit.document.rule_id: (hit.tier, hit.reason) for hit in hits.formal}


def shown(*rules):
    return [rule_id for rule_id, (tier, _) in tiers(*rules).items() if tier != Tier.COLD]


def test_the_same_words_overlap_in_full_and_no_common_word_not_at_all():
    words, others = words_of(PUSH), words_of(make_document("Choosing a font", action="Any"))

    assert (overlap(words, words), overlap(words, others), overlap(frozenset(), frozenset())) == (1, 0, 0)


def test_of_two_rules_that_say_nearly_the_same_the_better_one_is_shown():
    assert shown(PUSH, TWIN) == [PUSH.rule_id]


def test_a_listing_tells_which_rule_stands_for_it():
    tier, reason = tiers(PUSH, TWIN, floor=0.0)[TWIN.rule_id]

    assert tier == Tier.COLD
    assert reason == f"says nearly the same as {PUSH.short_id}"


def test_a_twin_keeps_no_rule_from_being_hot():
    assert tiers(PUSH, TWIN)[PUSH.rule_id][0] == Tier.HOT


def test_other_advice_on_the_same_matter_is_shown():
    assert set(shown(PUSH, RELATED)) == {PUSH.rule_id, RELATED.rule_id}


def test_a_twin_leaves_its_place_to_the_next_rule():
    others = [
        make_document(f"Pushing a branch by force, case {n}", action=f"Advice {n}", number=n) for n in range(10, 15)
    ]

    assert len(shown(PUSH, TWIN, *others)) == 5
    assert TWIN.rule_id not in shown(PUSH, TWIN, *others)


@pytest.mark.parametrize(("first", "second", "count"), [("dormant", "active", 2), ("active", "dormant", 1)])
def test_a_sleeping_rule_never_stands_for_an_active_one(first, second, count):
    better = make_document(PUSH.trigger, action=PUSH.action, number=1, status=first)
    twin = make_document(TWIN.trigger, action=TWIN.action, number=2, status=second)

    assert len(shown(better, twin)) == count


def test_in_the_shadow_pool_each_twin_counts():
    theirs = [
        make_document(rule.trigger, action=rule.action, number=n, scope="project", project_id="other")
        for n, rule in enumerate((PUSH, TWIN), start=1)
    ]

    assert len(search(PROMPT, index=make_index(*theirs), project_id="mine").shadow) == 2
