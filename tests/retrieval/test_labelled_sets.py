"""The figures that search must reach on labelled sets, with floors that nobody set by hand.

One set is our own, in three languages; the others lie beside the checkout.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nokori_site.benchmark.varied_rules import varied_rules
from retrieval.evaluation import VERBATIM, Report, evaluate
from retrieval.labelled_sets import LabelledSet, read_labelled_set
from tests.retrieval.indexes import LABELLED_SETS, make_document

OWN_SET = Path(__file__).resolve().parent / "labelled"
beside_the_checkout = pytest.mark.skipif(
    not LABELLED_SETS.exists(), reason="the labelled sets are not beside the checkout"
)


@pytest.mark.parametrize(("kind", "least"), [("paraphrase", 30), ("chinese", 28), ("japanese", 28)])
def test_a_prompt_in_other_words_or_another_language_finds_its_rule(own_report, kind, least):
    assert own_report.figures[kind]["prompts"] <= 39
    assert own_report.figures[kind]["own rule first"] >= least


def test_what_is_about_no_rule_injects_nothing(own_report):
    assert own_report.figures["unrelated"]["prompts"] == 30
    assert own_report.figures["unrelated"]["any"] <= 1
    assert own_report.figures["unrelated"]["any HOT"] == 0


@pytest.fixture(scope="module")
def own_report() -> Report:
    return evaluate(read_labelled_set(OWN_SET))


@pytest.fixture(scope="module")
def agent_prompts() -> LabelledSet:
    return read_labelled_set(LABELLED_SETS / "agent-prompts")


@pytest.fixture(scope="module")
def report(agent_prompts) -> Report:
    return evaluate(agent_prompts)


@beside_the_checkout
def test_the_right_rule_is_injected_and_first(report):
    positive = report.figures["positive"]

    assert positive["prompts"] == 54
    assert positive["own rule"] >= 42
    assert positive["own rule first"] >= 36
    assert report.figures["medium_positive"]["own rule"] >= 33


@beside_the_checkout
def test_few_unrelated_prompts_inject_anything_and_none_would_block(report):
    negative = report.figures["negative"]

    assert negative["any"] <= 8
    assert negative["any HOT"] == 0


@beside_the_checkout
def test_every_trigger_typed_word_for_word_is_hot(report):
    assert report.figures[VERBATIM]["own rule HOT"] == report.documents == 18


@beside_the_checkout
def test_triggers_stay_hot_and_unrelated_prompts_silent_among_two_hundred_other_rules(agent_prompts):
    others = [
        make_document(rule.trigger, number=number, variants=tuple(rule.variants), action=rule.action)
        for number, rule in enumerate(varied_rules(200))
    ]

    report = evaluate(LabelledSet("crowd", [*agent_prompts.documents, *others], agent_prompts.queries))

    assert report.figures[VERBATIM]["own rule HOT"] == 218
    assert report.figures["positive"]["own rule"] >= 38
    assert report.figures["negative"]["any"] <= 8
    assert report.figures["negative"]["any HOT"] == 0


@beside_the_checkout
@pytest.mark.parametrize(("name", "least"), [("cranfield", 0.35), ("xquad-zh", 0.95), ("jsquad", 0.93)])
def test_whole_documents_are_ranked_well(name, least):
    labelled = read_labelled_set(LABELLED_SETS / name)
    some = LabelledSet(name, labelled.documents, labelled.queries[::4] if name == "jsquad" else labelled.queries)

    figures = evaluate(some).figures["graded"]

    assert figures["nDCG@10"] >= least
