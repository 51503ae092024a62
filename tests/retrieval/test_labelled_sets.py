"""The figures that search must reach on the labelled sets beside the checkout, with floors that nobody set by hand."""

from __future__ import annotations

import pytest

from nokori_site.benchmark.varied_rules import varied_rules
from retrieval.evaluation import VERBATIM, LabelledSet, Report, evaluate, read_labelled_set
from tests.retrieval.indexes import LABELLED_SETS, make_document

pytestmark = pytest.mark.skipif(not LABELLED_SETS.exists(), reason="the labelled sets are not beside the checkout")


@pytest.fixture(scope="module")
def agent_prompts() -> LabelledSet:
    return read_labelled_set(LABELLED_SETS / "agent-prompts")


@pytest.fixture(scope="module")
def report(agent_prompts) -> Report:
    return evaluate(agent_prompts)


def test_the_right_rule_is_injected_and_first(report):
    positive = report.figures["positive"]

    assert positive["prompts"] == 54
    assert positive["own rule"] >= 34
    assert positive["own rule first"] >= 32


def test_few_unrelated_prompts_inject_anything_and_none_would_block(report):
    negative = report.figures["negative"]

    assert negative["any"] <= 8
    assert negative["any HOT"] == 0


def test_every_trigger_typed_word_for_word_is_hot(report):
    assert report.figures[VERBATIM]["own rule HOT"] == report.documents == 18


def test_triggers_stay_hot_and_unrelated_prompts_silent_among_two_hundred_other_rules(agent_prompts):
    others = [
        make_document(rule.trigger, number=number, variants=tuple(rule.variants), action=rule.action)
        for number, rule in enumerate(varied_rules(200))
    ]

    report = evaluate(LabelledSet("crowd", [*agent_prompts.documents, *others], agent_prompts.queries))

    assert report.figures[VERBATIM]["own rule HOT"] == 218
    assert report.figures["positive"]["own rule"] >= 32
    assert report.figures["negative"]["any"] <= 8
    assert report.figures["negative"]["any HOT"] == 0


@pytest.mark.parametrize(("name", "least"), [("cranfield", 0.35), ("xquad-zh", 0.95), ("jsquad", 0.93)])
def test_whole_documents_are_ranked_well(name, least):
    labelled = read_labelled_set(LABELLED_SETS / name)
    some = LabelledSet(name, labelled.documents, labelled.queries[::4] if name == "jsquad" else labelled.queries)

    figures = evaluate(some).figures["graded"]

    assert figures["nDCG@10"] >= least
