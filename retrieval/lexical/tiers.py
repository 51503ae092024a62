"""Ranked hits in, tiers and the reason for each out. Pure arithmetic.

A hit has enough evidence when it passes the floor with two words, or with one that is a whole variant, search term or trigger.
The first five such hits are WARM, the best of them HOT if it is clearly ahead and most of a trigger or variant is there.
"""

from __future__ import annotations

from retrieval.lexical.results import Tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.lexical.results import Hit, Meaning

TIERED_LIMIT = 5  # README "Injection tiers"
HOT_MARGIN = 1.3  # README "Injection tiers": more than 30 % above the second, and above the floor
HOT_COVERAGE = 0.4  # below it, 7 of 54 unrelated prompts were HOT and would have blocked
LONG_HOT_COVERAGE = 0.6  # a long paste has many passages; at 0.4 three of 1,500 unrelated ones were HOT
MIN_WORDS = 2
SECOND_WORD_SHARE = 0.4  # of the floor of meaning, which then stands for a second word


def has_enough_words(word_count: int, *, whole_phrase: bool) -> bool:
    return word_count >= MIN_WORDS or (word_count == 1 and whole_phrase)


def why_not_enough(hit: Hit, *, floor: float) -> str:
    """Empty when there is enough evidence."""
    if hit.meaning is not None:
        return _why_not_enough_of_both(hit, hit.meaning)
    if hit.evidence < floor:
        return f"evidence {hit.evidence:.2f} is under the floor of {floor:.2f}"
    if not has_enough_words(hit.word_count, whole_phrase=hit.variant_hit or hit.is_word_for_word):
        return "one matched word is not enough, unless it is a whole variant, search term or trigger"
    return ""


def _why_not_enough_of_both(hit: Hit, meaning: Meaning) -> str:
    if meaning.fused < 1:
        return f"words and meaning reach {meaning.fused:.0%} of the floor"
    if meaning.share < SECOND_WORD_SHARE and not has_enough_words(
        hit.word_count, whole_phrase=hit.variant_hit or hit.is_word_for_word
    ):
        return "one matched word is not enough where the meaning is another"
    return ""


def assign_tiers(passed: Sequence[Hit], *, floor: float, is_long: bool) -> None:
    """Sets tier, reason and reactivates of the hits that have enough evidence, ordered best first."""
    needed_coverage = LONG_HOT_COVERAGE if is_long else HOT_COVERAGE
    for place, hit in enumerate(passed, start=1):
        if place == 1:
            _judge_first(hit, passed[1:2], floor=floor, needed_coverage=needed_coverage)
        elif place <= TIERED_LIMIT:
            hit.tier, hit.reason = Tier.WARM, f"enough evidence, place {place}"
        else:
            hit.reason = f"enough evidence, but only the first {TIERED_LIMIT} are shown"


def _judge_first(first: Hit, rest: Sequence[Hit], *, floor: float, needed_coverage: float) -> None:
    first.tier = Tier.WARM
    if not all(_is_clearly_ahead(first, second) for second in rest):
        first.reason = f"best, but not {HOT_MARGIN} times the second ({_weight(first):.2f} to {_weight(rest[0]):.2f})"
    elif _floors(first, floor) < HOT_MARGIN and not first.is_word_for_word:
        first.reason = f"best, but its evidence is {_floors(first, floor):.2f} times the floor and not {HOT_MARGIN}"
    elif first.coverage < needed_coverage:
        first.reason = f"best, but too little of its trigger or of one variant is in the prompt ({first.coverage:.0%})"
    elif first.document.status == "dormant":
        first.reactivates = True
        first.reason = "dormant: would be HOT, wakes up with this match"
    else:
        first.tier = Tier.HOT
        first.reason = f"clearly the best, {first.coverage:.0%} of its trigger or of one variant is in the prompt"


def _is_clearly_ahead(first: Hit, second: Hit) -> bool:
    """By the margin; or because its trigger alone is there word for word, which similar rules cannot blur."""
    return _weight(first) > HOT_MARGIN * _weight(second) or (first.is_word_for_word and not second.is_word_for_word)


def _weight(hit: Hit) -> float:
    """What the margin over the second is taken of."""
    return hit.bm25 if hit.meaning is None else hit.meaning.fused


def _floors(hit: Hit, floor: float) -> float:
    """The evidence in multiples of its floor."""
    if hit.meaning is not None:
        return hit.meaning.fused
    return hit.evidence / floor if floor else HOT_MARGIN
