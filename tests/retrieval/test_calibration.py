"""calibration: the shipped prompts, and the floors that they give a rule base."""

from __future__ import annotations

from itertools import combinations

import pytest

from retrieval.calibration import FOLDER, background, calibrate, offtopic_prompts
from retrieval.lexical.floors import MIN_FLOOR
from retrieval.lexical.passages import cut_passages
from retrieval.lexical.tokens import HAN, KANA, LATIN
from tests.retrieval.indexes import FORCE_PUSH, make_calibrated_index, make_document, make_index

EVERYDAY_WORDS = ("test", "build", "release", "branch", "database", "file", "log", "error", "commit", "image")


def test_there_are_short_prompts_in_four_languages_and_long_ones():
    lengths = [len(cut_passages(prompt)) for prompt in offtopic_prompts()]

    assert {path.name.split(".")[1] for path in FOLDER.glob("short.*.txt")} == {"de", "en", "ja", "zh"}
    assert sum(length == 1 for length in lengths) >= 170
    assert sum(length > 1 for length in lengths) >= 80


def test_no_prompt_is_shipped_twice():
    assert len(set(offtopic_prompts())) == len(offtopic_prompts())


@pytest.mark.parametrize("word", ["run", "test", "file", "commit", "branch", "chang"])
def test_the_background_knows_everyday_words(word):
    assert background().frequencies[word] >= 5


def test_the_background_counts_texts_by_script():
    populations = background().populations

    assert populations[LATIN] == len(offtopic_prompts())
    assert 30 < populations[KANA] < populations[HAN] < populations[LATIN] / 2


def test_a_few_rules_have_the_least_floor():
    floors = calibrate(make_calibrated_index([FORCE_PUSH]))

    assert (floors.short, floors.rule_count) == (MIN_FLOOR, 1)


def test_floors_do_not_depend_on_the_floors_before():
    rules = [make_document(f"{word} the {word} of the test run", number=n) for n, word in enumerate(("log", "image"))]

    assert calibrate(make_index(*rules, floor=0.0)).long == calibrate(make_index(*rules, floor=99.0)).long


def test_rules_of_everyday_words_lift_the_floors():
    rare = [make_document(f"zorb{number} quux{number}", number=number) for number in range(45)]
    pairs = combinations(EVERYDAY_WORDS, 2)
    mixed = [make_document(f"{rule.trigger} {' '.join(pair)}") for rule, pair in zip(rare, pairs, strict=True)]

    assert calibrate(make_calibrated_index(rare)).long == MIN_FLOOR
    assert calibrate(make_calibrated_index(mixed)).long > MIN_FLOOR


def test_a_rule_that_prompts_are_really_about_does_not_lift_the_floor_for_others():
    about = make_document("renaming a variable", variants=("rename the variable", "run the tests again"), number=5)

    assert calibrate(make_calibrated_index([FORCE_PUSH, about])).short == MIN_FLOOR


def test_without_rules_there_are_floors_all_the_same():
    floors = calibrate(make_calibrated_index([]))

    assert (floors.short, floors.long, floors.rule_count) == (MIN_FLOOR, MIN_FLOOR, 0)
