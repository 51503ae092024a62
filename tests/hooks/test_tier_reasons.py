"""Every reason that the search gives for a tier is said in the reader's language, its numbers kept."""

import ast

import pytest
from django.utils.translation import override

from hooks.tier_reasons import REASONS, in_readers_language
from tests.test_architecture import source_of


def sentence_of(node):
    """A sentence of the sources with a name in place of each value; "" for what is no sentence."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts: list[str] = []
    number = 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        else:
            number += 1
            parts.append(f"%(n{number})s")
    return "".join(parts)


def given_reasons():
    """What is assigned to a reason or returned by a function that says why."""
    for node in ast.walk(ast.parse(source_of("retrieval/lexical/tiers.py"))):
        if isinstance(node, ast.Assign) and "reason" in ast.unparse(node.targets[0]):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            yield from map(sentence_of, values)
        elif isinstance(node, ast.Return) and node.value is not None:
            yield sentence_of(node.value)


def test_the_list_holds_every_sentence_of_the_search():
    given = {sentence for sentence in given_reasons() if " " in sentence}

    assert len(given) >= 8
    assert given - set(REASONS) == set()


@pytest.mark.parametrize(
    ("reason", "japanese"),
    [
        ("evidence 1.84 is under the floor of 1.88", "根拠 1.84 はしきい値 1.88 に届きません"),
        ("enough evidence, place 2", "根拠は十分で、2 位です"),
        (
            'the prompt holds "100% off", which this rule excludes',
            "プロンプトに、このルールが除外する「100% off」が含まれています",
        ),
        ("a sentence of another version 7", "a sentence of another version 7"),
    ],
)
def test_a_reason_keeps_its_numbers_in_another_language(reason, japanese):
    with override("ja"):
        assert in_readers_language(reason) == japanese


@pytest.mark.parametrize("reason", ["clearly the best, 67% of its trigger or of one variant is in the prompt"])
def test_in_english_a_reason_stays_as_it_is(reason):
    with override("en"):
        assert in_readers_language(reason) == reason
