"""phrases: how much of a rule's own words a prompt holds."""

from __future__ import annotations

import pytest

from retrieval.lexical.phrases import coverage, longest_whole_phrase, occurs
from retrieval.lexical.tokens import tokenize
from tests.retrieval.indexes import FORCE_PUSH


def idf_of_one(_term: str) -> float:
    return 1.0


def terms_of(text: str) -> set[str]:
    return {term for term, _ in tokenize(text)}


def test_coverage_is_that_of_the_best_phrase():
    assert coverage(FORCE_PUSH, terms_of("git push"), idf=idf_of_one) == pytest.approx(1.0)
    assert coverage(FORCE_PUSH, terms_of("a shared branch"), idf=idf_of_one) == pytest.approx(0.5)
    assert coverage(FORCE_PUSH, terms_of("something else"), idf=idf_of_one) == 0.0


def test_a_phrase_without_terms_covers_nothing():
    assert coverage(FORCE_PUSH, terms_of(""), idf=lambda term: 0.0) == 0.0


@pytest.mark.parametrize(
    ("phrases", "words"),
    [
        (["force push", "git"], 2),
        (["git"], 1),
        (["git rebase"], 0),
        (["强推"], 1),
        ([], 0),
        (["the of"], 0),
    ],
)
def test_the_longest_whole_phrase_counts_in_separate_words(phrases, words):
    assert longest_whole_phrase(phrases, terms_of("git force push 强推")) == words


@pytest.mark.parametrize(
    ("phrase", "text", "is_there"),
    [
        ("--force-with-lease", "git push --force-with-lease origin", True),
        ("force with lease", "Forced with leases", True),
        ("lease", "please release it", False),
        ("push --force", "push it with --force", False),
        ("测试环境", "在测试环境执行", True),
        ("dry run", "a DRY-RUN first", True),
        ("#", "issue #5", True),
        ("", "anything", False),
        ("  ", "anything", False),
    ],
)
def test_a_phrase_occurs_when_its_words_follow_one_another(phrase, text, is_there):
    assert occurs(phrase, text) is is_there
