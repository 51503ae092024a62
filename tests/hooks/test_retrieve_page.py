"""Retrieve answers why: every number with its floor, what was shown and what was cut, the gate, the exact text."""

import pytest
from django.test import override_settings

from hooks.explain import Lens, explain
from hooks.ranking import ranking_page
from retrieval.publish import publish_all
from tests.factories import make_rule

pytestmark = pytest.mark.django_db(transaction=True)  # publishing reads what is committed
PROMPT = "I'll just git push --force this shared branch"


@pytest.fixture
def pool(data_folder):
    rules = {
        "push": make_rule(variants=["git push --force"], rationale="It overwrites others' work"),
        "branch": make_rule(trigger="Naming a shared branch", action="Begin with the ticket", confidence="medium"),
        "away": make_rule(trigger="Deleting a shared branch", action="Ask first", project_id="other-11111111"),
    }
    publish_all(calibrate=True)
    return rules


@pytest.fixture
def drawn(data_folder, pool):
    def draw(prompt=PROMPT, *, budget_chars=1500, is_gate_on=True):
        lens = Lens(budget_chars=budget_chars, verb="dismiss", is_gate_on=is_gate_on)
        explanation = explain(prompt, folder=data_folder, project_id="", lens=lens)
        return ranking_page(explanation, budget_chars=budget_chars, is_gate_on=is_gate_on)

    return draw


def bar(row, kind):
    return next(bar for bar in row.bars if bar.kind == kind)


def test_a_bar_that_passes_its_floor_reaches_over_the_mark(drawn):
    evidence = bar(drawn().formal[0], "evidence")

    assert evidence.is_passed
    assert evidence.width > evidence.marks[0] > 0


def test_a_bar_under_its_floor_ends_before_the_mark(drawn):
    evidence = bar(drawn("the new bank").formal[0], "evidence")

    assert not evidence.is_passed
    assert evidence.width < evidence.marks[0]


def test_no_bar_or_mark_leaves_its_ground(drawn):
    page = drawn()

    widths = [number for row in (*page.formal, *page.shadow) for one in row.bars for number in (one.width, *one.marks)]
    assert widths
    assert all(0 <= number <= 100 for number in widths)


@pytest.mark.parametrize(("budget", "outcome"), [(1500, "full"), (290, "line"), (60, "cut")])
def test_what_became_of_a_hot_rule_depends_on_the_budget(drawn, budget, outcome):
    assert drawn(budget_chars=budget).formal[0].outcome == outcome


@pytest.mark.parametrize(
    ("wish", "verdict"),
    [
        ({}, "blocks"),
        ({"is_gate_on": False}, "off"),
        ({"budget_chars": 60}, "cut"),
        ({"prompt": "what is the weather"}, "nothing"),
    ],
    ids=str,
)
def test_the_gate_says_why_it_would_let_a_call_pass(drawn, wish, verdict):
    assert drawn(**wish).verdict == verdict


def test_a_hot_rule_that_may_not_block_is_harmless(drawn, pool):
    pool["push"].confidence = "medium"
    pool["push"].save(update_fields=["confidence"])

    assert drawn().verdict == "harmless"


def test_the_page_shows_the_text_that_the_agent_would_read(pages, pool):
    shown = pages.post("/retrieve/", {"prompt": PROMPT, "project": "here-22222222"}).content.decode()

    assert f"[HOT {pool['push'].short_id}]" in shown
    assert "is stopped once for" in shown
    assert "Deleting a shared branch" in shown  # of another project


def test_the_page_opens_with_the_prompt_of_a_link(pages, pool):
    shown = pages.get("/retrieve/", {"prompt": PROMPT}).content.decode()

    assert pool["push"].short_id in shown


def test_the_page_says_when_nothing_is_published(pages, data_folder):
    assert "manage.py settle" in pages.post("/retrieve/", {"prompt": PROMPT}).content.decode()


def test_words_that_no_person_typed_are_not_searched_with(pages, pool):
    shown = pages.post("/retrieve/", {"prompt": "<task-notification>done</task-notification>"}).content.decode()

    assert "No person types such words" in shown


def test_script_in_a_rule_is_text(pages, data_folder):
    make_rule(trigger="Force <script>alert(1)</script> pushing", variants=["git push --force"])
    publish_all(calibrate=True)

    shown = pages.post("/retrieve/", {"prompt": PROMPT}).content.decode()

    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert" in shown


@override_settings(LANGUAGE_CODE="en")
def test_a_prompt_that_is_too_long_is_refused_in_words(pages, pool):
    shown = pages.post("/retrieve/", {"prompt": "x" * 200_001}).content.decode()

    assert "at most 200000 characters" in shown


def test_without_rules_the_page_leads_to_the_first_one(pages, data_folder):
    publish_all(calibrate=False)

    assert 'href="/rules/add/"' in pages.post("/retrieve/", {"prompt": PROMPT}).content.decode()
