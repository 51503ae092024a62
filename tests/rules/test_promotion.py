from dataclasses import replace

import pytest

from rules.authoring import move_by_hand
from rules.lifecycle import Mover, Status
from rules.models import Rule
from rules.promotion import promote_if_earned
from rules.shadow_pool import record_shadow_hit
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


@pytest.fixture
def switched_off(settings):
    settings.NOKORI = replace(settings.NOKORI, promotion_enabled=False)


def met_rule(*, projects=("a", "b", "c"), **changes):
    rule = make_rule(project_id="home", **changes)
    for project_id in projects:
        rule.shadow_hits.create(project_id=project_id, day=NOW.date())
    return rule


def test_the_history_names_the_projects_that_made_a_rule_global():
    rule = met_rule()

    assert promote_if_earned(rule, now=NOW)

    step = rule.history.get()
    assert (step.from_status, step.to_status, step.by) == ("active", "active", "evidence")
    assert step.why == "met in a, b, c: global from now on"


@pytest.mark.parametrize("status", ["candidate", "dormant", "archived"])
def test_a_rule_that_other_projects_met_goes_global_as_soon_as_it_is_in_use(status):
    rule = met_rule(status=status)
    assert not promote_if_earned(rule, now=NOW)

    move_by_hand(rule, Status.ACTIVE, by=Mover.COMMAND, now=NOW)

    assert (rule.project_scope, Rule.objects.get().project_scope) == ("global", "global")
    assert [step.to_status for step in rule.history.order_by("pk")] == ["active", "active"]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"projects": ("a", "b")}, id="two projects"),
        pytest.param({"source_type": "preference"}, id="a preference"),
    ],
)
def test_what_never_goes_global(changes):
    rule = met_rule(**changes)

    assert not promote_if_earned(rule, now=NOW)
    assert not rule.history.exists()


def test_a_rule_that_was_dismissed_meanwhile_does_not_go_global():
    rule = met_rule()
    Rule.objects.update(status="archived")

    assert not promote_if_earned(rule, now=NOW)
    assert Rule.objects.get().project_scope == "project"


def test_switched_off_nothing_is_counted_and_nothing_goes_global(switched_off):
    rule = met_rule(status="candidate")

    assert not record_shadow_hit(str(rule.pk), project_id="d", level="hot", now=NOW)
    move_by_hand(rule, Status.ACTIVE, by=Mover.COMMAND, now=NOW)

    assert Rule.objects.get().project_scope == "project"
    assert rule.shadow_hits.count() == 3
    assert not rule.evidence.exists()
