import pytest

from rules.models import ShadowHit
from rules.on_the_way import rules_on_the_way
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


def meet(rule, *projects):
    for project in projects:
        ShadowHit.objects.create(rule=rule, project_id=project, day=NOW.date())


def test_the_rule_that_most_projects_met_comes_first():
    near, far = make_rule(project_id="home"), make_rule(project_id="home", status="candidate")
    meet(far, "one")
    meet(near, "one", "two")

    found = rules_on_the_way(5)

    assert [(progress.rule, progress.projects, progress.percent) for progress in found] == [(near, 2, 66), (far, 1, 33)]


@pytest.mark.parametrize("changes", [{"project_id": ""}, {"status": "archived"}, {"status": "merged"}])
def test_a_rule_that_is_global_or_gone_is_not_on_the_way(changes):
    meet(make_rule(**{"project_id": "home", **changes}), "one")

    assert rules_on_the_way(5) == []
