"""Injections shows what agents were told: newest first, prompt by prompt, with what the gate did."""

import pytest

from hooks.timeline import tell_prompts
from rules.models import Injection
from tests.factories import make_rule
from tests.hooks.test_api import decide, inject, open_session

pytestmark = pytest.mark.django_db


def newest_first():
    return Injection.objects.select_related("rule").order_by("-at", "-pk")


def test_rules_of_one_prompt_stand_together_in_the_order_in_which_they_were_shown():
    inject(make_rule(trigger="First"), note="n1")
    inject(make_rule(trigger="Second"), note="n1", level="warm")

    [prompt] = tell_prompts(newest_first())

    assert [row.rule.trigger for row in prompt.shown] == ["First", "Second"]


def test_a_decision_belongs_to_the_prompt_before_it_in_its_session():
    rule = make_rule()
    inject(rule, minute=0, note="n1", prompt_key="first")
    inject(rule, minute=5, note="n2", prompt_key="second")
    inject(rule, minute=5, note="n3", prompt_key="elsewhere", session_id="s2")
    decide(rule, minute=1, note="g1")
    decide(rule, minute=6, note="g2", answer="passed")

    told = {prompt.prompt_key: [answer.answer for answer in prompt.gate] for prompt in tell_prompts(newest_first())}

    assert told == {"first": ["deny"], "second": ["passed"], "elsewhere": []}


def test_a_decision_after_a_prompt_of_the_page_before_is_not_told_twice():
    rule = make_rule()
    inject(rule, minute=0, note="n1", prompt_key="old")
    inject(rule, minute=5, note="n2", prompt_key="new")
    decide(rule, minute=6, note="g1")

    [old] = tell_prompts(newest_first().filter(prompt_key="old"))

    assert old.gate == []


def test_the_page_filters_by_tier_session_rule_and_project(pages):
    push, other = make_rule(), make_rule(trigger="Renaming a column")
    inject(push)
    inject(other, minute=1, note="n2", level="warm", session_id="s2", project_id="web-22222222")

    def shown(**wish):
        page = pages.get("/injections/", wish).content.decode()
        return ["Force pushing" in page, "Renaming a column" in page]

    assert shown() == [True, True]
    assert shown(level="hot") == [True, False]
    assert shown(session="s2") == [False, True]
    assert shown(rule=push.short_id) == [True, False]
    assert shown(project="web-22222222") == [False, True]
    assert shown(level="no such tier", page="no such page") == [True, True]


def test_a_long_list_comes_in_pages(pages):
    rule = make_rule()
    for number in range(31):
        inject(rule, minute=number, note=f"n{number}", prompt_key=f"key{number:02}")

    first, second = (pages.get("/injections/", {"page": page}).content.decode() for page in (1, 2))

    assert ("key30" in first, "key00" in first) == (True, False)
    assert ("key30" in second, "key00" in second) == (False, True)


def test_without_injections_the_page_says_how_to_get_some(pages):
    assert "manage.py install" in pages.get("/injections/").content.decode()


def test_a_session_is_shown_prompt_by_prompt(pages):
    rule = make_rule()
    open_session()
    inject(rule, prompt_key="a1b2c3d4")
    decide(rule, minute=1, note="g1")

    page = pages.get("/injections/session/s1/").content.decode()

    assert "a1b2c3d4" in page
    assert "was stopped for" in page
    assert "Claude Code" in page


def test_a_session_in_which_nothing_was_shown_says_so(pages):
    open_session()

    assert "the agent was told nothing" in pages.get("/injections/session/s1/").content.decode()


def test_a_session_that_nobody_knows_is_a_page_not_found(pages):
    assert pages.get("/injections/session/nobody/").status_code == 404


def test_a_hundred_prompts_take_no_more_queries_than_one(pages, django_assert_max_num_queries):
    rule = make_rule()
    for number in range(100):
        inject(rule, minute=number, note=f"n{number}", session_id=f"s{number}")
        decide(rule, minute=number, note=f"g{number}", session_id=f"s{number}")

    with django_assert_max_num_queries(30):
        pages.get("/injections/")


def test_a_long_session_shows_its_newest_prompts_and_leads_to_all(pages):
    rule = make_rule()
    for number in range(101):
        inject(rule, minute=number, note=f"n{number}", prompt_key=f"key{number:03}")

    page = pages.get("/injections/session/s1/").content.decode()

    assert ("key100" in page, "key000" in page) == (True, False)
    assert 'href="/injections/?session=s1"' in page
