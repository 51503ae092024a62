from datetime import timedelta
from uuid import uuid4

import pytest

from rules.models import Rule
from rules.shadow_pool import record_shadow_hit
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db
TOMORROW = NOW + timedelta(days=1)


def hit(rule, project_id, *, level="warm", now=NOW):
    return record_shadow_hit(str(rule.pk), project_id=project_id, level=level, now=now)


def test_one_hit_a_project_and_day():
    rule = make_rule(project_id="home")

    answers = [hit(rule, "a"), hit(rule, "a"), hit(rule, "b"), hit(rule, "a", now=TOMORROW)]

    assert answers == [True, False, True, True]
    assert Rule.objects.get().shadow_hit_count == rule.shadow_hits.count() == 3


def test_three_projects_make_an_active_rule_global():
    rule = make_rule(project_id="home")

    for project_id in "abc":
        assert Rule.objects.get().project_scope == "project"
        hit(rule, project_id)

    promoted = Rule.objects.get()
    assert (promoted.project_scope, promoted.project_id) == ("global", "home")


def test_many_days_of_two_projects_do_not():
    rule = make_rule(project_id="home")

    for day in range(4):
        hit(rule, "a", now=NOW + timedelta(days=day))
        hit(rule, "b", now=NOW + timedelta(days=day))

    assert Rule.objects.get().project_scope == "project"


@pytest.mark.parametrize(
    ("changes", "project_id"),
    [
        pytest.param({"project_id": "home", "source_type": "preference"}, "a", id="preferences take no part"),
        pytest.param({}, "a", id="a global rule has no other project"),
        pytest.param({"project_id": "home"}, "home", id="its own project"),
        pytest.param({"project_id": "home"}, "", id="an unknown project"),
    ],
)
def test_what_does_not_count(changes, project_id):
    rule = make_rule(**changes)

    assert not hit(rule, project_id)
    assert not rule.shadow_hits.exists()


def test_a_rule_that_is_gone_is_passed_over():
    assert not record_shadow_hit(str(uuid4()), project_id="a", level="hot", now=NOW)


def test_hot_speaks_for_the_rule_and_warm_does_not():
    rule = make_rule(project_id="home", status="candidate")

    hit(rule, "a", level="warm")
    hit(rule, "b", level="hot")

    assert [(row.kind, row.project_id) for row in rule.evidence.all()] == [("shadow_hot", "b")]


def test_hot_after_warm_of_the_same_day_still_speaks_once():
    rule = make_rule(project_id="home", status="candidate")

    for level in ("warm", "hot", "hot"):
        hit(rule, "a", level=level)

    assert rule.evidence.count() == 1


def test_hot_on_two_days_activates_a_candidate():
    rule = make_rule(project_id="home", status="candidate")

    hit(rule, "a", level="hot")
    hit(rule, "a", level="hot", now=TOMORROW)

    assert Rule.objects.get().status == "active"


def test_a_candidate_met_by_three_projects_goes_global_only_once_it_is_active():
    rule = make_rule(project_id="home", status="candidate")
    for project_id in "abc":
        hit(rule, project_id, level="hot")
    assert Rule.objects.get().project_scope == "project"

    hit(rule, "a", level="hot", now=TOMORROW)

    assert Rule.objects.get().project_scope == "global"
