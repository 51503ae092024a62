"""What is published beside what is in the database."""

from contextlib import contextmanager

from retrieval.apps import publish_pool
from retrieval.lexical.packed import Index
from rules.models import Rule
from rules.signals import pool_changed
from tests.factories import rule_values


def make_rules(count) -> list[Rule]:
    rules = [Rule(**rule_values(trigger=f"Situation {number}", action=f"Do {number}")) for number in range(count)]
    return Rule.objects.bulk_create(rules)


@contextmanager
def nobody_publishing():
    """Changes inside are committed by a process that dies before it publishes."""
    pool_changed.disconnect(publish_pool)
    try:
        yield
    finally:
        pool_changed.connect(publish_pool)


def read(published) -> dict[str, str]:
    """What a hook reads: the action of each rule by rule id."""
    with Index.open(str(published)) as index:
        count = sum(segment.rule_count for segment in index.segments)
        documents = [index.document(number) for number in range(count) if number not in index.stale]
        return {document.rule_id: document.action for document in documents}


def in_database() -> dict[str, str]:
    return {str(pk): action for pk, action in Rule.objects.published().values_list("pk", "action")}


def delta_size(published) -> int:
    with Index.open(str(published)) as index:
        return len(index.delta_rule_ids | index.removed_rule_ids)
