"""What `export` writes `import` reads back, column by column."""

import io
from datetime import UTC, date, datetime, timedelta

import pytest

from rules.lifecycle import EvidenceKind, Mover, Status
from rules.models import Evidence, Rule, ShadowHit, StatusChange, UnresolvedPair
from rules.transfer.columns import EVIDENCE_COLUMNS, HISTORY_COLUMNS, PAIR_COLUMNS, RULE_COLUMNS, SHADOW_HIT_COLUMNS
from rules.transfer.incoming import import_rules
from rules.transfer.outgoing import export_rules
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(days=1)
TOLD = {  # a value for each column that differs from its default and from every other
    "short_id": "abc1234",
    "trigger": 'Force pushing <to> "main" \U0001f600',
    "variants": ["git push -f", "push, with force"],
    "search_terms": {"en": ["force"], "zh": ["强推"]},
    "behavior": "pushed\nwith force",
    "action": "Ask first",
    "rationale": "it overwrites",
    "trigger_zh": "强制推送",
    "variants_zh": ["强推"],
    "behavior_zh": "强推了",
    "action_zh": "先问",
    "rationale_zh": "会覆盖",
    "excludes": ["force-with-lease"],
    "tool_pattern": r"push\s+(-f|--force)",
    "source_type": "anti_pattern",
    "confidence": "low",
    "status": "archived",
    "status_since": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    "project_scope": "project",
    "project_id": "shop-33333333",
    "archived_reason": "dismissed by hand",
    "hit_count": 7,
    "last_hit": datetime(2026, 1, 3, tzinfo=UTC),
    "shadow_hit_count": 3,
    "evidence_score": 5,
    "manual_edit": True,
    "quote": "do not force push",
    "created_at": datetime(2026, 1, 1, tzinfo=UTC),
    "updated_at": datetime(2026, 1, 4, tzinfo=UTC),
    "activated_at": datetime(2026, 1, 5, tzinfo=UTC),
}
EVIDENCE = {
    "kind": EvidenceKind.SHADOW_HOT,
    "points": 2,
    "day": date(2026, 1, 6),
    "at": datetime(2026, 1, 7, 23, tzinfo=UTC),
    "project_id": "web-11111111",
    "session_id": "session",
}
SHADOW_HIT = {"project_id": "api-22222222", "day": date(2026, 1, 8)}
CHANGE = {
    "from_status": Status.ACTIVE,
    "to_status": Status.ARCHIVED,
    "why": "dismissed by hand",
    "by": Mover.CHAT,
    "at": datetime(2026, 1, 9, tzinfo=UTC),
}
OUR_TABLES = {
    Rule: RULE_COLUMNS,
    Evidence: EVIDENCE_COLUMNS,
    ShadowHit: SHADOW_HIT_COLUMNS,
    StatusChange: HISTORY_COLUMNS,
    UnresolvedPair: PAIR_COLUMNS,
}
LINKS = {"id", "rule", "new"}  # of the rows of a rule's past: where they hang, not what they say


def column_names(model):
    names = {column.name for column in model._meta.concrete_fields}
    return names if model is Rule else names - LINKS


def values_of(row):
    """Every column but those that tie a row to its table."""
    return {name: getattr(row, name) for name in column_names(type(row)) - LINKS}


def exported():
    sheet = io.StringIO()
    export_rules(sheet, now=NOW)
    return sheet.getvalue()


def bring_in(text):
    return import_rules(io.BytesIO(text.encode()), now=LATER)


@pytest.fixture
def rule():
    newer = make_rule(short_id="fed9876")
    newer.history.create(to_status=Status.ACTIVE, why="by hand", by=Mover.COMMAND, at=NOW)
    made = make_rule(**TOLD, superseded_by=newer)
    made.evidence.create(**EVIDENCE)
    made.shadow_hits.create(**SHADOW_HIT)
    made.history.create(to_status=Status.ACTIVE, why="by hand", by=Mover.PAGE, at=NOW)
    made.history.create(**CHANGE)
    return made


@pytest.mark.parametrize("model", OUR_TABLES)
def test_a_column_that_is_added_is_transferred_too(model):
    assert set(OUR_TABLES[model]) == column_names(model)


def test_this_test_tells_every_column_of_a_rule():
    assert set(TOLD) | {"id", "superseded_by"} == column_names(Rule)
    assert (set(EVIDENCE), set(SHADOW_HIT), set(CHANGE)) == tuple(
        column_names(model) for model in (Evidence, ShadowHit, StatusChange)
    )


@pytest.mark.parametrize("column", sorted(TOLD))
def test_each_column_comes_back(rule, column):
    text = exported()
    Rule.objects.all().delete()

    bring_in(text)

    assert getattr(Rule.objects.get(pk=rule.pk), column) == TOLD[column]


def test_the_past_of_a_rule_comes_back(rule):
    text = exported()
    Rule.objects.all().delete()

    bring_in(text)

    returned = Rule.objects.get(pk=rule.pk)
    assert returned.superseded_by == Rule.objects.get(short_id="fed9876")
    assert [values_of(row) for row in returned.evidence.all()] == [EVIDENCE]
    assert [values_of(row) for row in returned.shadow_hits.all()] == [SHADOW_HIT]
    assert [values_of(row) for row in returned.history.order_by("at")] == [
        CHANGE,
        {"from_status": "", "to_status": "active", "why": "by hand", "by": "page", "at": NOW},
    ]


def test_a_rule_still_waits_for_the_place_of_another(rule):
    newer = make_rule(status="candidate")
    UnresolvedPair.objects.create(old=rule, new=newer, relation="broader", at=NOW)
    text = exported()
    Rule.objects.all().delete()

    bring_in(text)

    pair = UnresolvedPair.objects.get()
    assert (pair.old_id, pair.new_id, pair.relation, pair.at) == (rule.pk, newer.pk, "broader", NOW)


def test_a_second_export_is_the_same(rule):
    text = exported()
    Rule.objects.all().delete()
    bring_in(text)

    assert exported() == text


def test_rules_that_are_here_already_stay_as_they_are(rule):
    text = exported()
    Rule.objects.filter(pk=rule.pk).update(action="Edited since")

    report = bring_in(text)

    assert (report.imported, report.skipped) == (0, 2)
    assert Rule.objects.get(pk=rule.pk).action == "Edited since"
    assert rule.evidence.count() == 1


def test_an_export_does_not_ask_the_database_once_a_rule(rule, django_assert_max_num_queries):
    for _ in range(20):
        make_rule()

    with django_assert_max_num_queries(5):
        exported()
