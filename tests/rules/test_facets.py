import pytest

from rules.facets import MOST_PROJECTS, count_facets, offered_projects
from rules.selection import RuleWish
from tests.factories import make_rule

pytestmark = pytest.mark.django_db


def test_a_count_says_what_a_click_on_it_shows():
    make_rule(source_type="preference", status="candidate")
    make_rule(source_type="preference")
    make_rule()

    facets = count_facets(RuleWish(source_type="preference"))

    assert facets.found == 2
    assert facets.statuses == {"candidate": 1, "active": 1, "dormant": 0, "merged": 0, "archived": 0}
    assert (facets.source_types["preference"], facets.source_types["correction"]) == (2, 1)


def test_the_search_narrows_every_count():
    make_rule(trigger="Deploying on a Friday")
    make_rule()

    facets = count_facets(RuleWish(text="friday"))

    assert (facets.found, facets.statuses["active"], facets.scopes["global"]) == (1, 1, 1)


def test_all_counts_take_one_query(django_assert_num_queries):
    make_rule()

    with django_assert_num_queries(1):
        count_facets(RuleWish())


def test_the_largest_projects_are_offered_and_the_chosen_one_always():
    for number in range(MOST_PROJECTS + 5):
        make_rule(project_id=f"p{number:02}")
    make_rule(project_id="p03")

    facets = count_facets(RuleWish(project_id="p16"))
    offered = offered_projects(facets, "p16")

    assert offered[:2] == [("p16", 1), ("p03", 2)]
    assert len(offered) == MOST_PROJECTS
