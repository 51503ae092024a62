"""The shipped off-topic prompts: background for idf, and the measure of a rule base's floors.

A floor is the evidence that only one in a hundred prompts which concern no rule would reach by chance; short and long
prompts have one each, because a long paste has many chances.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from retrieval.lexical.floors import best_of_quantile, quantile
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.packing import Background
from retrieval.lexical.passages import Passage, cut_passages
from retrieval.lexical.results import Floors
from retrieval.lexical.search import best_evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.lexical.packed import Index

FOLDER = Path(__file__).parent / "offtopic"
SHORT_PATTERN = "short.*.txt"  # one prompt a line
LONG_PATTERN = "long.*.txt"  # prompts between lines of LONG_SEPARATOR
LONG_SEPARATOR = "%%"


@cache
def offtopic_prompts() -> tuple[str, ...]:
    """All shipped prompts, in a fixed order."""
    short = [prompt for path in sorted(FOLDER.glob(SHORT_PATTERN)) for prompt in _text(path).splitlines()]
    pasted = [prompt for path in sorted(FOLDER.glob(LONG_PATTERN)) for prompt in _split_pasted(_text(path))]
    return tuple(prompt for prompt in short + pasted if prompt.strip())


@cache
def background() -> Background:
    return Background(offtopic_prompts())


def calibrate(index: Index) -> Floors:
    """The floors for the rules of this index; they do not depend on the floors it has."""
    short = [passages for passages in _passages() if len(passages) == 1]
    pasted = [passages for passages in _passages() if len(passages) > 1]
    return Floors(short=_floor(short, index), long=_floor(pasted, index), rule_count=index.rule_count)


def _floor(prompts: Sequence[list[Passage]], index: Index) -> float:
    """The quantile of the best evidence per prompt. What cannot reach the best few so far is never computed in full."""
    needed = best_of_quantile(len(prompts))
    best: list[float] = []
    for passages in prompts:
        bar = best[-1] if len(best) == needed else 0.0
        best.append(best_evidence(MatchedPrompt(passages, index), floor=bar))
        best = sorted(best, reverse=True)[:needed]
    return quantile(best, count=len(prompts))


@cache
def _passages() -> tuple[list[Passage], ...]:
    return tuple(map(cut_passages, offtopic_prompts()))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _split_pasted(text: str) -> list[str]:
    return text.split(f"{LONG_SEPARATOR}\n")
