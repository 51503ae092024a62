from datetime import timedelta
from uuid import UUID

import pytest

from rules.authoring import add_rule, dismiss_rule, edit_rule, find_rule, move_by_hand
from rules.drafts import RuleDraft
from rules.lifecycle import Mover, Status
from rules.models import Rule
from rules.refusals import AmbiguousShortId, MoveRefused, RuleNotFound, RuleRefused
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def add(**columns):
    words = {"trigger": "Naming a branch", "action": "Use a short name"} | columns
    return add_rule(RuleDraft(**words), by=Mover.COMMAND, now=NOW)


def test_a_high_correction_is_active_with_three_points_of_evidence():
    rule = add(source_type="correction", confidence="high")

    assert (rule.status, rule.activated_at, rule.evidence_score) == ("active", NOW, 3)
    assert [(row.kind, row.points) for row in rule.evidence.all()] == [("user_correction", 3)]


@pytest.mark.parametrize(
    ("source_type", "confidence"),
    [("correction", "medium"), ("preference", "high"), ("solution", "high"), ("anti_pattern", "high")],
)
def test_anything_else_is_a_candidate_without_evidence(source_type, confidence):
    rule = add(source_type=source_type, confidence=confidence)

    assert (rule.status, rule.activated_at, rule.evidence_score) == ("candidate", None, 0)


def test_history_begins_with_why_the_rule_has_its_status():
    (first,) = add(confidence="low").history.all()

    assert (first.from_status, first.to_status, first.by) == ("", "candidate", "command")
    assert "only a correction of high confidence" in first.why


def test_without_a_project_the_rule_is_global():
    assert add().project_scope == "global"


def test_with_a_project_the_rule_is_bound_to_it():
    rule = add(project_id="shop-1234abcd")

    assert (rule.project_scope, rule.project_id) == ("project", "shop-1234abcd")


def test_every_column_of_a_draft_is_kept():
    words = {
        "rationale": "r", "behavior": "b", "variants": ["v"], "trigger_zh": "强推", "action_zh": "做", "rationale_zh": "因",
        "behavior_zh": "行", "variants_zh": ["推"], "search_terms": {"en": ["push"]}, "excludes": ["revert"],
        "tool_pattern": "push", "source_type": "solution", "confidence": "low", "project_id": "p-1", "quote": "q",
    }  # fmt: skip

    kept = Rule.objects.values(*words).get(pk=add(**words).pk)

    assert kept == words


def test_a_refused_draft_leaves_nothing():
    with pytest.raises(RuleRefused):
        add(trigger=" ")

    assert not Rule.objects.exists()


@pytest.mark.parametrize("name", ["abcdef12", "abc", " ABCDEF ", "12345678-1234-4234-8234-123456789abc"])
def test_a_rule_is_found_by_short_id_beginning_or_full_id(name):
    rule = make_rule(id=UUID("12345678-1234-4234-8234-123456789abc"), short_id="abcdef12")
    make_rule(short_id="abd000")

    assert find_rule(name) == rule


@pytest.mark.parametrize("name", ["ffffff", "", "xyz", "'; --", "é", "abcdef123", "0" * 32])
def test_an_unknown_short_id_is_one_sentence(name):
    make_rule(short_id="abcdef12")

    with pytest.raises(RuleNotFound, match=r"list --all"):
        find_rule(name)


def test_an_ambiguous_beginning_names_what_it_may_be():
    make_rule(short_id="abcdef12")
    make_rule(short_id="abcdef13")

    with pytest.raises(AmbiguousShortId, match=r"abcdef may be abcdef12, abcdef13; give more digits\."):
        find_rule("abcdef")


def test_an_ambiguity_names_five_rules_at_most():
    for digit in "012345":
        make_rule(short_id=f"aaaaaa{digit}")

    with pytest.raises(AmbiguousShortId, match=r"aaaaaa4, \.\.\.; give"):
        find_rule("a")


def test_an_edit_names_what_it_changed_and_marks_the_rule():
    rule = make_rule()

    changed = edit_rule(rule, {"trigger": rule.trigger, "action": "Ask first"}, now=LATER)

    rule.refresh_from_db()
    assert changed == ("action",)
    assert (rule.action, rule.manual_edit, rule.updated_at) == ("Ask first", True, LATER)


def test_an_edit_that_changes_nothing_writes_nothing(django_assert_num_queries):
    rule = make_rule()

    with django_assert_num_queries(0):
        assert edit_rule(rule, {"trigger": rule.trigger + " "}, now=LATER) == ()


def test_a_refused_edit_changes_nothing():
    rule = make_rule()

    with pytest.raises(RuleRefused):
        edit_rule(rule, {"action": "Ask first", "trigger": ""}, now=LATER)

    assert rule.action == Rule.objects.get().action != "Ask first"


def test_an_edit_leaves_the_columns_alone_that_another_process_wrote():
    rule = make_rule()
    Rule.objects.update(rationale="written meanwhile")

    edit_rule(rule, {"action": "Ask first"}, now=LATER)

    assert Rule.objects.get().rationale == "written meanwhile"


def test_a_dismissed_rule_is_archived_with_a_reason_and_a_row_of_history():
    rule = make_rule()

    assert dismiss_rule(rule, by=Mover.CHAT, now=LATER)

    rule.refresh_from_db()
    assert (rule.status, rule.archived_reason, rule.status_since) == ("archived", "dismissed in a chat", LATER)
    assert [(row.from_status, row.to_status, row.by) for row in rule.history.all()] == [("active", "archived", "chat")]


def test_dismissing_twice_is_no_second_move():
    rule = make_rule()
    dismiss_rule(rule, by=Mover.CHAT, now=NOW)

    assert not dismiss_rule(rule, by=Mover.COMMAND, now=LATER)
    assert rule.history.count() == 1


@pytest.mark.parametrize("status", [status for status in Status if status != Status.ARCHIVED])
def test_a_rule_of_any_status_can_be_dismissed(status):
    assert dismiss_rule(make_rule(status=status), by=Mover.COMMAND, now=LATER)


def test_a_dismissal_can_be_taken_back():
    rule = make_rule()
    dismiss_rule(rule, by=Mover.COMMAND, now=NOW)

    assert move_by_hand(rule, Status.ACTIVE, by=Mover.COMMAND, now=LATER)

    rule.refresh_from_db()
    assert (rule.status, rule.archived_reason, rule.activated_at) == ("active", "", LATER)


def test_a_move_that_another_process_made_first_counts_as_done():
    rule = make_rule()
    Rule.objects.update(status="archived")

    assert not dismiss_rule(rule, by=Mover.COMMAND, now=LATER)
    assert rule.status == "archived"


def test_a_refused_move_names_what_is_allowed():
    with pytest.raises(MoveRefused, match=r"abcdef is archived and can only become active, not dormant\."):
        move_by_hand(make_rule(short_id="abcdef", status="archived"), Status.DORMANT, by=Mover.COMMAND, now=LATER)


def test_a_merged_rule_that_comes_back_forgets_what_replaced_it():
    newer = make_rule()
    rule = make_rule(status="merged", superseded_by=newer)

    move_by_hand(rule, Status.DORMANT, by=Mover.COMMAND, now=LATER)

    assert Rule.objects.get(pk=rule.pk).superseded_by is None


@pytest.mark.parametrize(
    ("before", "changes", "scope"),
    [
        ({"project_scope": "global", "project_id": ""}, {"project_id": "shop-1"}, "project"),
        ({"project_scope": "project", "project_id": "shop-1"}, {"project_id": ""}, "global"),
        ({"project_scope": "global", "project_id": "shop-1"}, {"source_type": "preference"}, "project"),
        ({"project_scope": "global", "project_id": ""}, {"source_type": "preference"}, "global"),
        ({"project_scope": "global", "project_id": "shop-1"}, {"action": "Ask first"}, "global"),
    ],
    ids=["given a project", "taken out of it", "a promoted preference", "a global preference", "another column"],
)
def test_an_edited_rule_is_where_its_project_and_type_say(before, changes, scope):
    rule = make_rule(source_type="solution", **before)

    edit_rule(rule, changes, now=LATER)

    assert Rule.objects.get(pk=rule.pk).project_scope == scope
