"""Made-up rules and prompts for measuring: a number in, the same varied texts out on every machine.

Developer English, Chinese and Japanese in the mix of a real memory, about 45 tokens a rule. Nouns are drawn with a
long tail (some everywhere, names nearly nowhere), because search time depends on the length of posting lists.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WORDS: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
NAME_SHARE = 0.35  # of the drawn English nouns, how many are names out of some code base
WORDS_PER_LINE = 12
LOG_KINDS = 40  # of lines in one log: programs say the same things again and again


@dataclass(frozen=True)
class VariedRule:
    """The texts of one made-up rule."""

    trigger: str
    variants: list[str]
    action: str
    rationale: str
    search_terms: dict[str, list[str]]


def varied_rules(count: int, *, seed: int = 1) -> Iterator[VariedRule]:
    """The first `count` rules of an endless list that the seed determines."""
    draw = random.Random(seed)  # noqa: S311  texts, not secrets
    languages = list(WORDS["languages"])
    shares = [WORDS["languages"][language]["share"] for language in languages]
    for _ in range(count):
        yield _rule(draw, draw.choices(languages, shares)[0])


def varied_prompt(words: int, *, seed: int) -> str:
    """A prompt of that many words, in lines as pasted text has."""
    draw = random.Random(seed)  # noqa: S311  texts, not secrets
    verbs = WORDS["languages"]["en"]["verbs"]
    drawn = [draw.choice(verbs) if draw.random() < 0.3 else _noun(draw, "en") for _ in range(words)]
    lines = (drawn[start : start + WORDS_PER_LINE] for start in range(0, words, WORDS_PER_LINE))
    return "\n".join(" ".join(line) for line in lines)


def varied_log(words: int, *, seed: int) -> str:
    """About that many words of a program's log: few kinds of lines, each with new times and numbers."""
    draw = random.Random(seed)  # noqa: S311  texts, not secrets
    verbs = WORDS["languages"]["en"]["verbs"]
    kinds = [f"{_name(draw)} {draw.choice(verbs)} {_noun(draw, 'en')} of {_noun(draw, 'en')}" for _ in range(LOG_KINDS)]
    return "\n".join(_log_line(draw, draw.choice(kinds), number) for number in range(words // WORDS_PER_LINE))


def _log_line(draw: random.Random, kind: str, number: int) -> str:
    seconds, worker, size, spent = number // 3, draw.randrange(8), draw.randrange(90_000), draw.randrange(900)
    time = f"2026-11-30 {10 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02},{draw.randrange(1000):03}"
    return f"{time} INFO [worker-{worker}] {kind}: {size} bytes in {spent} ms"


def _rule(draw: random.Random, language: str) -> VariedRule:
    texts = WORDS["languages"][language]
    parts = {part: _noun(draw, language) for part in ("noun", "other", "third", "fourth")}
    parts |= {"verb": draw.choice(texts["verbs"]), "verb2": draw.choice(texts["verbs"]), "name": _name(draw)}
    parts |= {"tool": draw.choice(WORDS["tools"]), "place": draw.choice(texts["places"])}
    return VariedRule(
        trigger=draw.choice(texts["triggers"]).format(**parts),
        variants=[pattern.format(**parts) for pattern in draw.sample(texts["variants"], 2)],
        action=draw.choice(texts["actions"]).format(**parts),
        rationale=draw.choice(texts["rationales"]),
        search_terms={language: [parts["third"], _noun(draw, language)], "en": [parts["tool"], _noun(draw, "en")]},
    )


def _noun(draw: random.Random, language: str) -> str:
    """A word from the front of the list far more often than from its end; in English, sometimes a name."""
    nouns: list[str] = WORDS["languages"][language]["nouns"]
    if language == "en" and draw.random() < NAME_SHARE:
        return _name(draw)
    return nouns[int(len(nouns) * draw.random() ** 2)]


def _name(draw: random.Random) -> str:
    """Such as `ledger_pager`, `RouterSandbox` or `kafka-4812`."""
    first, second = draw.sample(WORDS["languages"]["en"]["nouns"], 2)
    tool, number = draw.choice(WORDS["tools"]), draw.randrange(10_000)
    return draw.choice((f"{first}_{second}", f"{first.title()}{second.title()}", f"{tool}-{number}"))
