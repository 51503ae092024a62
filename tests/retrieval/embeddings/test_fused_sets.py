"""The figures that words and meaning reach together with the light model, on our own set and those beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.comparison import compare_modes
from retrieval.embeddings.light import LightEmbedder
from retrieval.evaluation import FUSED, LEXICAL, NDCG, VERBATIM
from retrieval.labelled_sets import LabelledSet, read_labelled_set
from tests.retrieval.indexes import LABELLED_SETS

OWN_SET = Path(__file__).resolve().parents[1] / "labelled"
beside_the_checkout = pytest.mark.skipif(
    not LABELLED_SETS.exists(), reason="the labelled sets are not beside the checkout"
)


@pytest.fixture(scope="module")
def light() -> LightEmbedder:
    return LightEmbedder()


def test_meaning_finds_more_of_our_own_prompts_and_lets_nothing_unrelated_in(light):
    comparison = compare_modes(read_labelled_set(OWN_SET), [FUSED, LEXICAL], embedder=light)

    fused = comparison.reports[0].figures
    assert comparison.difference is not None
    assert comparison.difference.mean >= 0
    assert sum(fused[kind]["own rule"] for kind in ("paraphrase", "chinese", "japanese")) >= 98
    assert fused["unrelated"]["any"] <= 1
    assert fused["unrelated"]["any HOT"] == 0
    assert fused[VERBATIM]["own rule HOT"] == 36


@beside_the_checkout
def test_the_labelled_prompts_reach_their_rules(light):
    comparison = compare_modes(read_labelled_set(LABELLED_SETS / "agent-prompts"), [FUSED, LEXICAL], embedder=light)

    fused = comparison.reports[0].figures
    assert fused["positive"]["own rule"] >= 46
    assert fused["medium_positive"]["own rule"] >= 44
    assert fused["negative"]["any"] <= 8
    assert fused["negative"]["any HOT"] == 0
    assert fused[VERBATIM]["own rule HOT"] == 18
    assert comparison.difference is not None
    assert comparison.difference.is_certain


@beside_the_checkout
@pytest.mark.parametrize(
    ("name", "least", "every"),
    [("cranfield", 0.35, 1), ("xquad-zh", 0.97, 2), ("jsquad", 0.94, 16), ("tatoeba-cmn-eng", 0.95, 1)],
)
def test_whole_documents_are_ranked_well_and_never_worse_than_by_words(light, name, least, every):
    labelled = read_labelled_set(LABELLED_SETS / name)
    some = LabelledSet(name, labelled.documents, labelled.queries[::every])

    fused, lexical = compare_modes(some, [FUSED, LEXICAL], embedder=light).reports

    assert fused.figures["graded"][NDCG] >= least
    assert fused.figures["graded"][NDCG] >= lexical.figures["graded"][NDCG] - 0.01
