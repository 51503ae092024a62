from datetime import timedelta
from uuid import uuid4

import pytest

from rules.injections import PromptAnswer, ShownRule, record_injections, shown_since
from rules.models import Injection, Rule
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


def record(*shown, note_id="note-1", at=NOW, session_id="s", reactivated=()):
    """Files an answer that showed (rule, level) pairs."""
    return record_injections(
        PromptAnswer(
            note_id=note_id,
            session_id=session_id,
            prompt_key="k",
            project_id="p",
            at=at,
            shown=[ShownRule(rule_id=rule.pk, level=level, is_full=level == "hot") for rule, level in shown],
            reactivated=[rule.pk for rule in reactivated],
        )
    )


def test_each_shown_rule_gets_a_row():
    hot, warm = make_rule(), make_rule()

    assert record((hot, "hot"), (warm, "warm")) == 2

    columns = ("rule", "level", "is_full", "session_id", "prompt_key", "project_id", "at", "note_id")
    assert set(Injection.objects.values_list(*columns)) == {
        (hot.pk, "hot", True, "s", "k", "p", NOW, "note-1"),
        (warm.pk, "warm", False, "s", "k", "p", NOW, "note-1"),
    }


def test_hot_counts_as_a_hit_and_warm_only_refreshes_last_hit():
    hot, warm, other = make_rule(), make_rule(), make_rule()

    record((hot, "hot"), (warm, "warm"))

    hits = {rule.pk: (rule.hit_count, rule.last_hit) for rule in Rule.objects.all()}
    assert hits == {hot.pk: (1, NOW), warm.pk: (0, NOW), other.pk: (0, None)}


def test_the_same_note_twice_counts_once():
    rule = make_rule()

    record((rule, "hot"))

    assert record((rule, "hot")) == 0
    assert Rule.objects.get().hit_count == Injection.objects.count() == 1


def test_a_rule_named_twice_in_a_note_counts_once():
    rule = make_rule()

    assert record((rule, "hot"), (rule, "hot")) == 1
    assert Rule.objects.get().hit_count == 1


def test_notes_filed_out_of_order_leave_the_latest_last_hit():
    rule = make_rule()

    record((rule, "warm"), note_id="late", at=NOW)
    record((rule, "warm"), note_id="early", at=NOW - timedelta(hours=1))

    assert Rule.objects.get().last_hit == NOW
    assert Injection.objects.count() == 2


def test_rules_that_are_gone_are_passed_over():
    rule, gone = make_rule(), Rule(pk=uuid4())

    assert record((gone, "hot"), (rule, "hot"), reactivated=[gone]) == 1


def test_a_dormant_rule_as_close_as_hot_wakes_up_and_that_is_a_hit():
    rule = make_rule(status="dormant")

    record((rule, "warm"), reactivated=[rule])

    rule.refresh_from_db()
    assert (rule.status, rule.hit_count, rule.last_hit, rule.activated_at) == ("active", 1, NOW, NOW)
    assert rule.history.get().by == "prompt"


def test_a_dormant_rule_that_did_not_fit_into_the_context_wakes_up_too():
    rule = make_rule(status="dormant")

    record(reactivated=[rule])

    rule.refresh_from_db()
    assert (rule.status, rule.hit_count, rule.last_hit) == ("active", 1, NOW)
    assert not Injection.objects.exists()


@pytest.mark.parametrize("status", ["active", "archived", "merged", "candidate"])
def test_only_a_rule_that_is_still_dormant_wakes_up(status):
    rule = make_rule(status=status)

    record(reactivated=[rule])

    assert Rule.objects.values_list("status", "hit_count").get() == (status, 0)


def test_hits_do_not_change_when_a_rule_was_edited_last():
    rule = make_rule()

    record((rule, "hot"), at=NOW + timedelta(days=1))

    assert Rule.objects.get().updated_at == NOW


def test_shown_since_looks_at_one_session_or_at_all():
    rule, other = make_rule(), make_rule()
    record((rule, "warm"))

    assert shown_since(rule, NOW, session_id="s")
    assert shown_since(rule, NOW)
    assert not shown_since(rule, NOW, session_id="another")
    assert not shown_since(rule, NOW + timedelta(seconds=1))
    assert not shown_since(other, NOW)
