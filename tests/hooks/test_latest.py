from datetime import timedelta

import pytest

from hooks.latest import latest_shown
from hooks.models import GateDecision
from rules.models import Injection
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


def show(rule, *, seconds, session="s"):
    at = NOW + timedelta(seconds=seconds)
    return Injection.objects.create(rule=rule, session_id=session, level="hot", at=at, note_id=f"{session}{seconds}")


def decide(rule, answer, *, seconds, session="s"):
    at = NOW + timedelta(seconds=seconds)
    GateDecision.objects.create(rule=rule, session_id=session, answer=answer, at=at, note_id=f"gate{session}{seconds}")


def test_each_injection_comes_with_what_the_gate_said_next():
    rule = make_rule()
    show(rule, seconds=0)
    show(rule, seconds=100)
    show(rule, seconds=100, session="other")
    decide(rule, "deny", seconds=5)
    decide(rule, "passed", seconds=9)
    decide(rule, "deny", seconds=105)

    shown = latest_shown(5)

    assert [(row.injection.session_id, row.answers) for row in shown] == [
        ("other", ()),
        ("s", ("deny",)),
        ("s", ("deny", "passed")),
    ]


def test_a_few_take_two_queries(django_assert_num_queries):
    show(make_rule(), seconds=0)

    with django_assert_num_queries(2):
        latest_shown(5)


def test_without_an_injection_there_is_nothing_to_ask():
    assert latest_shown(5) == []
