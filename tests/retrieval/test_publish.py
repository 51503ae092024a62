"""Every committed change reaches the published files, as a delta or as a new base."""

import random

import pytest
from django.db import transaction

from retrieval import publish
from retrieval.lexical.packed import BASE_FILE, DELTA_FILE, Index
from retrieval.publish import is_stale, publish_all, published_state, tidy
from rules.models import Rule
from rules.pool import ChangedRule, pool_counter
from tests.factories import make_rule
from tests.retrieval.published_rules import delta_size, in_database, make_rules, nobody_publishing, read

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_rule_is_published_with_floors_for_it(published):
    rule = make_rule()

    assert read(published) == {str(rule.pk): rule.action}
    with Index.open(str(published)) as index:
        assert index.calibrated_rule_count == 1
        assert index.change_counter == pool_counter()
    assert not is_stale()


def test_an_edit_is_published_as_a_delta_and_reads_no_other_rule(pool, published, django_assert_max_num_queries):
    base = (published / BASE_FILE).read_bytes()
    rule = pool[7]
    rule.action = "Do it differently"

    with django_assert_max_num_queries(25) as queries:
        rule.save(update_fields=["action"])

    reading = [query["sql"] for query in queries if 'FROM "rules_rule"' in query["sql"] and "COUNT" not in query["sql"]]
    assert (published / BASE_FILE).read_bytes() == base
    assert read(published) == in_database()
    assert delta_size(published) == 1
    assert all(rule.pk.hex in sql for sql in reading)


def test_rules_come_and_go_in_deltas(pool, published):
    new = make_rule(action="New")
    pool[0].delete()
    Rule.objects.filter(pk=pool[1].pk).update(status="archived")

    assert read(published) == in_database()
    assert delta_size(published) == 3

    Rule.objects.filter(pk__in=[pool[1].pk, new.pk]).update(status="dormant")

    assert read(published) == in_database()


def test_a_candidate_that_is_dismissed_was_never_in_the_base(pool, published):
    candidate = make_rule(status="candidate")
    candidate.status = "archived"
    candidate.save(update_fields=["status"])

    with Index.open(str(published)) as index:
        assert index.removed_rule_ids == frozenset()
    assert not is_stale()


def test_more_changes_than_a_delta_holds_make_a_new_base(pool, published, monkeypatch):
    monkeypatch.setattr(publish, "MAX_DELTA", 5)

    Rule.objects.filter(pk__in=[rule.pk for rule in pool[:5]]).update(action="five")
    assert delta_size(published) == 5

    Rule.objects.filter(pk__in=[rule.pk for rule in pool[:6]]).update(action="six")
    assert delta_size(published) == 0
    assert not (published / DELTA_FILE).exists()
    assert read(published) == in_database()


def test_an_import_is_one_new_base_with_new_floors(pool, published):
    make_rules(30)

    with Index.open(str(published)) as index:
        assert (index.rule_count, index.calibrated_rule_count) == (50, 50)


def test_edits_in_a_command_keep_the_floors(pool, published):
    with Index.open(str(published)) as index:
        before = (index.base_id, index.floors.short, index.floors.long)

    Rule.objects.filter(pk__in=[rule.pk for rule in pool[:15]]).update(action="fifteen")

    with Index.open(str(published)) as index:
        assert (index.base_id, index.floors.short, index.floors.long) == before


def test_a_transaction_with_many_steps_is_published_once_and_not_before_it_commits(pool, published):
    with transaction.atomic():
        for rule in pool:
            rule.action = "changed"
            rule.save(update_fields=["action"])
        assert "changed" not in read(published).values()
        counter = pool_counter()

    assert set(read(published).values()) == {"changed"}
    assert published_state().change_counter == counter


def test_hits_do_not_touch_the_files(pool, published):
    before = (published / BASE_FILE).stat().st_mtime_ns

    Rule.objects.update(hit_count=4, evidence_score=7)

    assert (published / BASE_FILE).stat().st_mtime_ns == before
    assert not (published / DELTA_FILE).exists()


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_in_a_row_the_files_say_what_the_database_says(pool, published, seed):
    chance = random.Random(seed)  # noqa: S311
    deeds = [
        lambda rule: rule.delete(),
        lambda rule: Rule.objects.filter(pk=rule.pk).update(action=f"edited {chance.random()}"),
        lambda rule: Rule.objects.filter(pk=rule.pk).update(status=chance.choice(["archived", "merged", "candidate"])),
        lambda rule: Rule.objects.filter(pk=rule.pk).update(status=chance.choice(["active", "dormant"])),
        lambda rule: make_rule(action=f"new {chance.random()}"),
        lambda rule: publish_all(calibrate=False),
        lambda rule: tidy(),
    ]

    for _ in range(25):
        chance.choice(deeds)(chance.choice(Rule.objects.all()))
        assert read(published) == in_database()

    assert not is_stale()


def test_without_floors_nothing_passes_until_settle_computes_them(published):
    with nobody_publishing():
        make_rules(3)
    publish_all(calibrate=False)
    with Index.open(str(published)) as index:
        assert min(index.floors.short, index.floors.long) > 1e6

    assert tidy()

    with Index.open(str(published)) as index:
        assert index.calibrated_rule_count == 3
    assert not tidy()


def test_settle_folds_a_large_delta_into_the_base_and_keeps_the_floors(pool, published, monkeypatch):
    monkeypatch.setattr(publish, "TIDY_DELTA", 0)
    Rule.objects.filter(pk=pool[0].pk).update(action="edited")

    assert tidy()

    assert delta_size(published) == 0
    assert ChangedRule.objects.count() == 1
    assert read(published) == in_database()


def test_settle_computes_floors_when_more_than_a_twentieth_of_the_rules_changed(pool, published):
    Rule.objects.filter(pk=pool[0].pk).update(action="edited")
    assert not tidy()

    Rule.objects.filter(pk=pool[1].pk).update(action="edited")
    assert tidy()

    assert not ChangedRule.objects.exists()
    assert not tidy()


def test_an_empty_pool_can_be_published(published):
    assert is_stale()

    assert tidy()

    assert read(published) == {}
    assert not is_stale()
