"""matching: which rules share terms with a prompt, how strongly, and where."""

from __future__ import annotations

import pytest

from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.passages import cut_passages
from tests.retrieval.indexes import FORCE_PUSH, LOCKFILE, make_document, make_index

LOG = [f"step{number} of build{number} took {number} seconds on agent{number}" for number in range(30)]


def matched(prompt: str, *rules) -> MatchedPrompt:
    return MatchedPrompt(cut_passages(prompt), make_index(*rules))


def evidence(prompt: str, *rules) -> float:
    return matched(prompt, *rules).rank(0.0)[0].evidence


def test_the_rule_with_more_in_common_comes_first():
    prompt = matched("force pushing the lockfile to a branch", LOCKFILE, FORCE_PUSH)

    assert [prompt.index.document(match.number).rule_id for match in prompt.rank(0.0)] == ["rule-1", "rule-2"]


def test_a_higher_floor_lists_the_same_numbers_for_fewer_rules():
    prompt = matched("force pushing the lockfile to a branch", LOCKFILE, FORCE_PUSH)
    (best, second) = prompt.rank(0.0)

    (listed,) = prompt.rank((best.evidence + second.evidence) / 2)

    assert listed.number == best.number
    assert listed.evidence == pytest.approx(best.evidence)


def test_a_long_prompt_counts_by_its_best_passage():
    prompt = matched("\n".join([*LOG, "editing the lockfile", "by hand, editing the lockfile", *LOG]), LOCKFILE)

    (match,) = prompt.rank(0.0)

    assert match.passage.text == "by hand, editing the lockfile"


def test_words_of_two_passages_do_not_add_up():
    together = "\n".join([*LOG, "editing the lockfile by hand"])
    apart = "\n".join([*LOG, "editing something", "a lockfile", "done by hand"])

    assert evidence(apart, LOCKFILE) < evidence(together, LOCKFILE) / 2


def test_a_word_on_every_line_says_little():
    once = "\n".join([*LOG, "lockfile hand"])
    always = "\n".join([f"{line} lockfile" for line in LOG] + ["lockfile hand"])

    assert evidence(always, LOCKFILE) < 0.7 * evidence(once, LOCKFILE)


def test_matched_terms_come_in_the_prompts_order():
    prompt = matched("a branch is pushed by force", FORCE_PUSH)

    assert prompt.matched_terms(prompt.rank(0.0)[0])[:3] == ["branch", "push", "forc"]


def test_equal_rules_keep_their_order():
    twins = [make_document("Editing the lockfile", number=number) for number in range(3)]

    assert [match.number for match in matched("edit lockfile", *twins).rank(0.0)] == [0, 1, 2]
