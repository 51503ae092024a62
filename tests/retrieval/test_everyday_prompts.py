"""Sixty everyday prompts that no rule is about, a third of them long pastes, against the eighteen labelled rules.

The prompts were written apart from the off-topic prompts that ship with the program: those calibrate, these check.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.calibration import background, calibrate
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import pack
from retrieval.lexical.passages import Passage
from retrieval.lexical.results import Document, Floors, Tier
from retrieval.lexical.search import search
from retrieval.lexical.tokens import tokenize

HERE = Path(__file__).resolve().parent
LABELLED = HERE.parents[2] / "shared" / "data" / "retrieval" / "agent-prompts"
SHORT = [line for line in (HERE / "everyday" / "short.txt").read_text(encoding="utf-8").splitlines() if line]
LONG = {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "everyday" / "long").glob("*.txt"))}

pytestmark = pytest.mark.skipif(not LABELLED.exists(), reason="the labelled rules are not beside the checkout")


def read_jsonl(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (LABELLED / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def rules() -> list[Document]:
    rows = enumerate(read_jsonl("docs.jsonl"))
    return [Document(rule_id=row["id"], short_id=f"{n:06x}", trigger=row["text"], action="-") for n, row in rows]


@pytest.fixture(scope="module")
def index(rules: list[Document]) -> Iterator[Index]:
    """The rules packed as publishing packs them, with the floors that it calibrates."""
    known = background()
    with Index.from_bytes(pack(rules, background=known, floors=Floors(short=0, long=0), change_counter=1)) as bare:
        floors = calibrate(bare)
    with Index.from_bytes(pack(rules, background=known, floors=floors, change_counter=1)) as calibrated:
        yield calibrated


def injected(prompt: str, index: Index) -> list[str]:
    hits = search(prompt, index=index, project_id="").formal
    return [hit.document.rule_id for hit in hits if hit.tier != Tier.COLD]


def inside(paste: str, line: str) -> str:
    """The paste with one more line in its middle."""
    lines = paste.splitlines()
    middle = len(lines) // 2
    return "\n".join([*lines[:middle], line, *lines[middle:]])


def test_there_are_sixty_prompts_and_a_third_of_them_are_long() -> None:
    assert (len(SHORT), len(LONG)) == (40, 20)
    assert {name.split("-")[0] for name in LONG} == {"de", "en", "ja", "zh"}


def test_at_most_two_of_sixty_everyday_prompts_inject_anything(index: Index) -> None:
    firing = {prompt[:60]: found for prompt in [*SHORT, *LONG.values()] if (found := injected(prompt, index))}

    assert len(firing) <= 2, firing


def test_a_trigger_on_its_own_line_inside_a_long_prompt_always_finds_its_rule(
    index: Index, rules: list[Document]
) -> None:
    missed = [
        (rule.trigger, name)
        for rule in rules
        for name, paste in LONG.items()
        if rule.rule_id not in injected(inside(paste, rule.trigger), index)
    ]

    assert missed == []


def matches_by_words(row: dict[str, str], index: Index) -> bool:
    """Without its concepts, which count in short prompts only."""
    matches = MatchedPrompt([Passage(row["text"], tokenize(row["text"]))], index).rank(index.floors.short)
    return row["rule"] in [index.document(match.number).rule_id for match in matches]


def test_a_positive_that_injects_by_its_words_does_so_inside_a_long_prompt_in_eight_of_ten(index: Index) -> None:
    positives = [row for row in read_jsonl("queries.jsonl") if row["kind"] == "positive"]
    alone = [row for row in positives if row["rule"] in injected(row["text"], index) and matches_by_words(row, index)]

    pastes = list(LONG.values())
    pairs = [(row, paste) for number, row in enumerate(alone) for paste in pastes[number % 4 :: 4]]
    found = [row["id"] for row, paste in pairs if row["rule"] in injected(inside(paste, row["text"]), index)]

    assert len(alone) >= 30
    assert len(found) >= 0.8 * len(pairs)
