import pytest

from retrieval.nearest import nearest_rules
from retrieval.publish import publish_all
from tests.factories import make_rule

pytestmark = pytest.mark.django_db


def test_the_rule_that_says_the_same_comes_first_and_reaches_the_whole(data_folder):
    near = make_rule(variants=["git push --force"])
    make_rule(trigger="Naming a migration", action="Say what it changes")
    publish_all(calibrate=True)

    found = nearest_rules(
        "force pushing a shared branch with git push --force", folder=data_folder, project_id="", most=3
    )

    assert found[0].rule == near
    assert (found[0].percent >= 100, found[0].bar_percent) == (True, 100)


def test_without_published_files_there_is_none(data_folder):
    assert nearest_rules("anything", folder=data_folder, project_id="", most=3) == []
