"""evaluation and its command: labelled sets in, figures out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from retrieval.bootstrap import paired_difference
from retrieval.comparison import compare_modes, encode_set
from retrieval.evaluation import DENSE, FUSED, LEXICAL, VERBATIM, evaluate
from retrieval.labelled_sets import LabelledSetUnreadableError, read_labelled_set
from retrieval.ranking_metrics import hit_at_one, ndcg, recall, reciprocal_rank
from tests.fakes import FakeEmbedder

Record = dict[str, object]
RULES: list[Record] = [
    {"id": "push", "text": "force pushing to a shared branch"},
    {"id": "lock", "text": "editing the lockfile by hand", "variants": ["change package-lock.json"]},
]
PROMPTS: list[Record] = [
    {"id": "1", "rule": "push", "kind": "positive", "text": "push with force to the shared branch"},
    {"id": "2", "rule": "lock", "kind": "positive", "text": "make it work"},
    {"id": "3", "rule": "lock", "kind": "negative", "text": "what time is it"},
]


def write_set(folder: Path, **files: list[Record]) -> Path:
    folder.mkdir()
    for name, records in files.items():
        lines = "\n".join(json.dumps(record) for record in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def prompts(tmp_path) -> Path:
    return write_set(tmp_path / "prompts", docs=RULES, queries=PROMPTS)


@pytest.fixture
def graded(tmp_path) -> Path:
    queries: list[Record] = [
        {"id": "q1", "text": "force push"},
        {"id": "q2", "text": "lockfile"},
        {"id": "unjudged", "text": "x"},
    ]
    grades: list[Record] = [{"query": "q1", "doc": "push", "grade": 2}, {"query": "q2", "doc": "push", "grade": 1}]
    return write_set(tmp_path / "graded", docs=RULES, queries=queries, qrels=grades)


def test_the_best_order_has_an_ndcg_of_one():
    assert ndcg(["a", "b", "c"], {"a": 3, "b": 1}) == pytest.approx(1.0)
    assert 0 < ndcg(["c", "b", "a"], {"a": 3, "b": 1}) < 0.7
    assert ndcg(["c"], {"a": 3}) == 0.0
    assert ndcg(["a"], {}) == 0.0


def test_recall_counts_the_first_five():
    assert recall(["a", "x", "y", "z", "w", "b"], {"a": 1, "b": 1, "c": 0}) == pytest.approx(0.5)
    assert recall(["a"], {}) == 0.0


def test_the_reciprocal_rank_is_that_of_the_first_relevant_document():
    assert reciprocal_rank(["x", "a"], {"a": 1}) == pytest.approx(0.5)
    assert reciprocal_rank(["x"], {"a": 1}) == 0.0


def test_prompts_are_counted_by_kind_with_calibrated_floors(prompts):
    report = evaluate(read_labelled_set(prompts))

    positive, negative = report.figures["positive"], report.figures["negative"]
    assert (positive["prompts"], positive["own rule"], positive["own rule first"]) == (2, 1, 1)
    assert (negative["prompts"], negative["any"], negative["any HOT"]) == (1, 0, 0)
    assert report.figures[VERBATIM]["own rule HOT"] == 2
    assert report.floors is not None


def test_graded_documents_are_ranked_without_a_floor(graded):
    report = evaluate(read_labelled_set(graded))

    assert report.figures["graded"] == {"queries": 2, "nDCG@10": 0.5, "recall@5": 0.5, "MRR": 0.5, "hit@1": 0.5}
    assert report.floors is None


def test_the_command_prints_a_line_for_each_kind(prompts, graded):
    text = call_command("evaluate", str(prompts), str(graded))

    assert "prompts: 2 documents, lexical, floors" in text
    assert "  negative: prompts 1, own rule 0, own rule first 0, own rule HOT 0, any 0, any HOT 0" in text
    assert "  graded: queries 2, nDCG@10 0.5, recall@5 0.5, MRR 0.5, hit@1 0.5" in text


def test_the_command_prints_json(prompts):
    (record,) = json.loads(call_command("evaluate", str(prompts), "--json"))

    assert record["name"] == "prompts"
    assert set(record["figures"]) == {"positive", "negative", VERBATIM}
    assert record["floors"]["short"] > 0


@pytest.mark.parametrize("broken", ["", "[1]", '{"id": 1}', "not json"])
def test_a_broken_set_is_named_in_one_line(tmp_path, broken):
    folder = write_set(tmp_path / "broken", docs=RULES)
    (folder / "queries.jsonl").write_bytes(broken.encode() or b"\xff\xfe")

    with pytest.raises(CommandError, match="broken"):
        call_command("evaluate", str(folder))


def test_a_missing_set_is_named(tmp_path):
    with pytest.raises(LabelledSetUnreadableError, match="nowhere cannot be read"):
        read_labelled_set(tmp_path / "nowhere")


def test_one_right_first_hit_is_a_hit_at_one():
    assert hit_at_one(["a", "b"], {"a": 1}) == 1
    assert hit_at_one(["b", "a"], {"a": 1}) == hit_at_one([], {"a": 1}) == 0


@pytest.mark.parametrize("mode", [DENSE, FUSED])
def test_meaning_finds_what_shares_no_word_and_words_do_not(tmp_path, mode):
    grades: list[Record] = [{"query": "q1", "doc": "lock", "grade": 1}]
    queries: list[Record] = [{"id": "q1", "text": "lockfile lockfile"}]
    labelled = read_labelled_set(write_set(tmp_path / "set", docs=RULES, queries=queries, qrels=grades))
    vectors = encode_set(labelled, FakeEmbedder())

    report = evaluate(labelled, mode=mode, vectors=vectors)

    assert report.figures["graded"]["nDCG@10"] == 1
    assert report.mode == mode


def test_prompts_are_judged_as_hooks_judge_them_with_a_server(prompts):
    labelled = read_labelled_set(prompts)

    report = evaluate(labelled, mode=FUSED, vectors=encode_set(labelled, FakeEmbedder(dimensions=512)))

    assert report.figures[VERBATIM]["own rule HOT"] == 2
    assert report.figures["negative"]["any"] == 0


def test_two_modes_are_compared_query_by_query(graded):
    comparison = compare_modes(read_labelled_set(graded), [FUSED, LEXICAL], embedder=FakeEmbedder())

    fused, lexical = comparison.reports
    assert (fused.mode, lexical.mode) == (FUSED, LEXICAL)
    assert comparison.difference is not None
    assert comparison.difference.low <= comparison.difference.mean <= comparison.difference.high


def test_a_difference_that_every_query_shows_is_certain():
    difference = paired_difference([1.0] * 30, [0.5] * 30)

    assert (difference.mean, difference.low, difference.high) == (0.5, 0.5, 0.5)
    assert difference.is_certain


def test_a_difference_that_one_query_makes_may_be_chance():
    difference = paired_difference([1.0, *[0.0] * 29], [0.0] * 30)

    assert difference.low == 0
    assert not difference.is_certain


def test_the_interval_covers_what_was_drawn_from():
    first = [(number * 37 % 100) / 100 for number in range(200)]

    difference = paired_difference(first, [0.4] * 200)

    assert difference.low < 0.1 < difference.high < 0.15
    assert paired_difference([], []).mean == 0


def test_near_misses_have_no_score_and_silence_is_right_for_what_is_about_no_rule(tmp_path):
    queries: list[Record] = [
        {"id": "1", "rule": "push", "kind": "positive", "text": "force pushing to a shared branch"},
        {"id": "2", "rule": "push", "kind": "near_miss", "text": "force pushing to a shared branch"},
        {"id": "3", "rule": "push", "kind": "negative", "text": "what time is it"},
        {"id": "4", "kind": "unrelated", "text": "force pushing to a shared branch"},
    ]

    report = evaluate(read_labelled_set(write_set(tmp_path / "kinds", docs=RULES, queries=queries)))

    assert report.scores == [1.0, 1.0, 0.0]


def test_the_command_compares_with_the_light_model(graded, settings):
    settings.NOKORI = replace(settings.NOKORI, embed_backend="light")

    text = call_command("evaluate", str(graded), "--mode", "fused", "--against", "lexical")
    first, second = json.loads(call_command("evaluate", str(graded), "--mode", "dense", "--against", "fused", "--json"))

    assert "graded: 2 documents, fused" in text
    assert "fused - lexical: " in text
    assert (first["mode"], second["mode"]) == ("dense", "fused")
    assert set(first["better_by"]) == {"mean", "low", "high"}


def test_a_model_that_is_not_there_is_told_in_one_line(graded, settings):
    settings.NOKORI = replace(settings.NOKORI, embed_backend="none")

    with pytest.raises(CommandError, match="no embedding backend"):
        call_command("evaluate", str(graded), "--mode", "fused")
