"""However a published column changes, `pool_changed` is sent once after the commit, and the counter has moved."""

from uuid import uuid4

import pytest
from django.core import serializers
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Concat

from rules.models import PUBLISHED_FIELDS, Rule
from rules.pool import ChangedRule, pool_counter
from rules.signals import pool_changed
from tests.factories import NOW, make_rule, rule_values

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def heard():
    """The rule ids of every signal since the fixture began, one set a signal."""
    signals = []

    def listen(rule_ids, **_):
        signals.append(rule_ids)

    pool_changed.connect(listen)
    yield signals
    pool_changed.disconnect(listen)


@pytest.fixture
def rule(heard):
    made = make_rule()
    heard.clear()
    return made


class Abandoned(Exception):
    """The test gives up a transaction."""


def abandon(change):
    """Makes a change in a transaction that is then rolled back."""
    with transaction.atomic():
        change()
        raise Abandoned


def save_whole(rule):
    rule.trigger = "another"
    rule.save()


def save_one_column(rule):
    rule.trigger = "another"
    rule.save(update_fields=["trigger"])


def save_expression(rule):
    rule.trigger = Concat(F("trigger"), Value("!"))
    rule.save(update_fields=["trigger"])


def load_fixture(rule):
    record = serializers.serialize("json", [rule])
    for entry in serializers.deserialize("json", record):
        entry.save()


def bulk_update(rule):
    rule.action = "another"
    Rule.objects.bulk_update([rule], ["action"])


def upsert(rule):
    newer = Rule(**rule_values(short_id=rule.short_id, action="another"))
    Rule.objects.bulk_create([newer], update_conflicts=True, unique_fields=["short_id"], update_fields=["action"])


WAYS = {
    "save": save_whole,
    "save(update_fields)": save_one_column,
    "save an expression": save_expression,
    "loaddata": load_fixture,
    "update": lambda rule: Rule.objects.filter(pk=rule.pk).update(action="another"),
    "update with F()": lambda rule: Rule.objects.filter(action=rule.action).update(action=F("trigger")),
    "update through the base manager": lambda rule: Rule._base_manager.update(action="another"),
    "bulk_update": bulk_update,
    "bulk_create over a conflict": upsert,
    "update_or_create": lambda rule: Rule.objects.update_or_create(
        short_id=rule.short_id, defaults={"action": "another"}
    ),
    "delete": lambda rule: rule.delete(),
    "delete a selection": lambda rule: Rule.objects.filter(pk=rule.pk).delete(),
    "move_to": lambda rule: rule.move_to("archived", why="test", by="command", now=NOW),
}


@pytest.mark.parametrize("change", WAYS.values(), ids=WAYS)
def test_every_way_of_changing_a_rule_is_heard_once(rule, heard, change):
    counter = pool_counter()
    rule_id = str(rule.pk)

    change(rule)

    assert [rule_id in rule_ids for rule_ids in heard] == [True]
    assert pool_counter() == counter + 1
    assert ChangedRule.objects.get(rule_id=rule_id).counter == counter + 1


@pytest.mark.parametrize(
    "create",
    [
        pytest.param(lambda: make_rule(), id="create"),
        pytest.param(lambda: Rule(**rule_values()).save(), id="save"),
        pytest.param(lambda: Rule.objects.get_or_create(id=uuid4(), defaults=rule_values()), id="get_or_create"),
        pytest.param(lambda: Rule.objects.bulk_create([Rule(**rule_values())]), id="bulk_create"),
    ],
)
def test_every_way_of_making_a_rule_is_heard_once_and_gives_it_a_short_id(heard, create):
    create()

    made = Rule.objects.get()
    assert heard == [frozenset({str(made.pk)})]
    assert made.short_id == made.id.hex[:6]


@pytest.mark.parametrize(
    "column", sorted(PUBLISHED_FIELDS - {"short_id", "project_scope", "status", "source_type", "confidence"})
)
def test_each_published_text_column_is_heard(rule, heard, column):
    Rule.objects.update(**{column: getattr(rule, column)})

    assert len(heard) == 1


def test_columns_that_are_not_published_are_not_heard(rule, heard):
    counter = pool_counter()

    Rule.objects.update(hit_count=F("hit_count") + 1, last_hit=NOW, shadow_hit_count=3, evidence_score=2)
    rule.hit_count = 5
    rule.save(update_fields=["hit_count"])

    assert heard == []
    assert pool_counter() == counter


def test_one_transaction_is_heard_once_with_all_its_rules(heard):
    with transaction.atomic():
        rules = [make_rule() for _ in range(3)]
        Rule.objects.update(rationale="why")
        rules.pop().delete()

    assert [len(rule_ids) for rule_ids in heard] == [3]


def test_a_transaction_that_is_rolled_back_is_not_heard(rule, heard):
    counter = pool_counter()

    with pytest.raises(Abandoned):
        abandon(lambda: Rule.objects.update(rationale="why"))

    assert heard == []
    assert pool_counter() == counter


def test_what_follows_an_inner_rollback_is_still_heard(rule, heard):
    other = make_rule()
    heard.clear()

    with transaction.atomic():
        with pytest.raises(Abandoned):
            abandon(rule.save)
        other.save()

    assert heard == [frozenset({str(other.pk)})]


def test_a_later_transaction_does_not_repeat_an_abandoned_one(rule, heard):
    other = make_rule()
    heard.clear()
    with pytest.raises(Abandoned):
        abandon(rule.save)

    other.save()

    assert heard == [frozenset({str(other.pk)})]


def test_a_receiver_that_fails_does_not_undo_the_change(rule, heard, caplog):
    def fail(**_):
        raise ValueError("broken receiver")

    pool_changed.connect(fail)
    try:
        Rule.objects.update(action="another")
    finally:
        pool_changed.disconnect(fail)

    assert Rule.objects.get().action == "another"
    assert len(heard) == 1
    assert "broken receiver" in caplog.text


def test_deleting_many_rules_costs_the_same_few_queries_for_bookkeeping(heard, django_assert_max_num_queries):
    Rule.objects.bulk_create([Rule(**rule_values()) for _ in range(50)])

    with django_assert_max_num_queries(20):
        Rule.objects.all().delete()

    assert [len(rule_ids) for rule_ids in heard] == [50, 50]
