"""The shipped off-topic prompts: background for idf, and the measure of a rule base's floors.

A floor is the evidence that one or two in a hundred prompts which concern no rule would reach by accident; short and long
prompts have one each, because a long paste has many chances.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from retrieval.lexical.floors import LONG_QUANTILE, MIN_FLOOR, SHORT_QUANTILE, best_needed, floor_above
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.packing import Background
from retrieval.lexical.passages import Passage, cut_passages
from retrieval.lexical.phrases import coverage, longest_whole_phrase
from retrieval.lexical.results import Floors
from retrieval.lexical.tiers import HOT_COVERAGE, MIN_WORDS, has_enough_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.lexical.matching import Match
    from retrieval.lexical.packed import Index
    from retrieval.lexical.results import Document

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
    return Floors(
        short=_floor(short, index, quantile=SHORT_QUANTILE),
        long=_floor(pasted, index, quantile=LONG_QUANTILE),
        rule_count=index.rule_count,
    )


def _floor(prompts: Sequence[list[Passage]], index: Index, *, quantile: float) -> float:
    """What cannot reach the best few values so far is never computed in full."""
    needed = best_needed(len(prompts), quantile=quantile)
    best = [0.0] * needed
    for passages in prompts:
        accident = _best_accident(MatchedPrompt(passages, index), floor=max(best[-1], MIN_FLOOR))
        best = sorted([*best, accident], reverse=True)[:needed]
    return floor_above(best, count=len(prompts), quantile=quantile)


def _best_accident(matched: MatchedPrompt, *, floor: float) -> float:
    """The best evidence over the floor for a rule that the prompt is not about; 0.0 when there is none."""
    for match in sorted(matched.rank(floor), key=_evidence, reverse=True):
        document = matched.index.document(match.number)
        if _is_injectable(matched, match, document) and not _is_about(matched, match, document):
            return match.evidence
    return 0.0


def _evidence(match: Match) -> float:
    return match.evidence


def _is_injectable(matched: MatchedPrompt, match: Match, document: Document) -> bool:
    word_count = match.passage.count_words(matched.matched_terms(match))
    phrases = (*document.variants, *document.terms)
    return has_enough_words(word_count, whole_phrase=longest_whole_phrase(phrases, match.passage.words) > 0)


def _is_about(matched: MatchedPrompt, match: Match, document: Document) -> bool:
    """Whether the prompt means this rule: in a base that has a rule on it, "run the tests" is not off-topic.

    One such rule would lift the floor for all others.
    """
    segment, _ = matched.index.locate(match.number)
    present = match.passage.words
    covered = coverage(document, present, idf=segment.idf)
    return covered >= HOT_COVERAGE or longest_whole_phrase(document.terms, present) >= MIN_WORDS


@cache
def _passages() -> tuple[list[Passage], ...]:
    return tuple(map(cut_passages, offtopic_prompts()))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _split_pasted(text: str) -> list[str]:
    return text.split(f"{LONG_SEPARATOR}\n")
