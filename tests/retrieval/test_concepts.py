"""Concepts: words for one thing in three languages, each of which is there for a labelled prompt that needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.labelled_sets import LabelledSet, Query, read_labelled_set
from retrieval.lexical.concepts import TABLE, concept_tokens, is_marker, tokenize_with_concepts
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.packed import Index
from retrieval.lexical.passages import Passage, cut_passages
from retrieval.lexical.tokens import tokenize
from tests.retrieval.indexes import make_calibrated_index, shown

OWN_SET = Path(__file__).resolve().parent / "labelled"
NAMES = [line.split()[0] for line in TABLE.strip().splitlines()]


def markers(text: str) -> set[str]:
    return {marker for marker, _ in concept_tokens(tokenize(text))}


@pytest.mark.parametrize(
    "text",
    ["wiped the folder", "removing a directory", "删除文件夹", "ディレクトリを削除"],
    ids=["a synonym", "another form", "Chinese", "Japanese"],
)
def test_words_for_one_thing_have_the_same_marker(text):
    assert markers(text) >= {"~delete", "~directory"}


def test_a_phrase_counts_only_when_its_words_follow_one_another():
    assert "~review" in markers("open a pull request")
    assert "~review" not in markers("request a change, then pull")


def test_a_stop_word_inside_a_phrase_does_not_break_it():
    assert "~integration" in markers("an end to end run")


def test_a_long_chinese_or_japanese_word_counts_only_as_a_whole():
    assert "~database" in markers("生产数据库")
    assert "~database" not in markers("数据太多")
    assert "~database" in markers("データベースを消す")
    assert "~database" not in markers("データを消す")


def test_a_marker_has_the_number_of_its_word_so_that_both_count_as_one():
    (passage,) = cut_passages("wipe everything")

    assert passage.count_words(["wipe", "~delete"]) == 1


def test_a_marker_is_shown_as_the_word_that_was_typed():
    (passage,) = cut_passages("wipe everything")

    assert passage.typed(["~delete"]) == ["wipe"]


def test_a_long_paste_is_matched_by_its_words_alone():
    paste = "\n".join(f"line {number} of the log says remove folder" for number in range(20))

    assert not [term for passage in cut_passages(paste) for term in passage.words if is_marker(term)]


def test_no_concept_has_two_lines_and_no_line_names_a_word_twice():
    assert len(NAMES) == len(set(NAMES))
    assert [line for line in TABLE.strip().splitlines() if len(set(line.split()[1:])) < len(line.split()[1:])] == []


@pytest.fixture(scope="module")
def own_set() -> LabelledSet:
    return read_labelled_set(OWN_SET)


@pytest.fixture(scope="module")
def index(own_set) -> Index:
    return make_calibrated_index(own_set.documents)


def evidence(query: Query, words: set[str], index: Index) -> float:
    """The evidence of the prompt's own rule when these terms of the prompt are kept."""
    tokens = [token for token in tokenize_with_concepts(query.text) if token[0] in words]
    ranked = MatchedPrompt([Passage(query.text, tokens)], index).rank(0.0)
    return next((match.evidence for match in ranked if index.document(match.number).rule_id == query.rule), 0.0)


def needed_markers(query: Query, index: Index) -> set[str]:
    """The markers of the prompt without which there is less evidence for its own rule."""
    terms = {term for term, _ in tokenize_with_concepts(query.text)}
    whole = evidence(query, terms, index)
    return {term for term in terms if is_marker(term) and evidence(query, terms - {term}, index) < whole}


def test_every_concept_earns_its_place_with_a_labelled_prompt(own_set, index):
    about_a_rule = [query for query in own_set.queries if query.rule]

    needed = set().union(*(needed_markers(query, index) for query in about_a_rule))

    assert {f"~{name}" for name in NAMES} - needed == set()


def test_without_concepts_few_of_these_prompts_would_find_their_rule(own_set, index):
    floor = index.floors.short
    about_a_rule = [query for query in own_set.queries if query.rule]

    by_words = [
        query for query in about_a_rule if evidence(query, {term for term, _ in tokenize(query.text)}, index) >= floor
    ]

    assert len(by_words) <= 0.2 * len(about_a_rule)


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("强制推送到主分支", "force-push"),
        ("レビューで重大な不具合を軽微なコメントとしてラベル", "bug-as-nit"),
        ("stub the backend in an end to end run", "mock-server"),
    ],
    ids=["Chinese", "Japanese", "English"],
)
def test_a_prompt_without_any_word_of_an_english_rule_finds_it(index, prompt, rule):
    assert rule in [rule_id for rule_id, _ in shown(prompt, index)]
