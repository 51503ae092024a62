import pytest

from rules.authoring import dismiss_rule, take_back_dismissal
from rules.lifecycle import Mover, Status
from rules.moving import move_named, take_back_named
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


def test_each_rule_that_can_move_does_and_each_other_says_why():
    make_rule(short_id="aaaaaa")
    make_rule(short_id="bbbbbb", status="candidate")

    report = move_named(["aaaaaa", "bbbbbb", "cccccc"], Status.DORMANT, by=Mover.PAGE, now=NOW)

    assert report.moved == ["aaaaaa"]
    assert ["bbbbbb is candidate" in report.problems[0], "No rule has" in report.problems[1]] == [True, True]


@pytest.mark.parametrize(("before", "after"), [("active", "active"), ("dormant", "active"), ("candidate", "candidate")])
def test_a_dismissal_taken_back_puts_no_candidate_in_use(before, after):
    rule = make_rule(status=before)
    dismiss_rule(rule, by=Mover.PAGE, now=NOW)

    take_back_dismissal(rule, by=Mover.PAGE, now=NOW)

    rule.refresh_from_db()
    assert (rule.status, rule.archived_reason, rule.history.last().why) == (after, "", "dismissal taken back")


def test_what_was_not_dismissed_is_not_taken_back():
    make_rule(short_id="aaaaaa")

    assert take_back_named(["aaaaaa"], by=Mover.PAGE, now=NOW).moved == []
