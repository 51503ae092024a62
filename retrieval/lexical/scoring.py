"""Sums the evidence of a prompt for every rule that can reach a floor: postings in, rule number to evidence out.

evidence(rule) = sum over the prompt's terms of the weight stored for (term, rule) * the term's share. Skipping is exact:
a rule at or above the floor is always there, with its whole sum.
"""

from __future__ import annotations

from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDING = 1e-5  # weights are stored in 32 bits, floors in 64
LOOKUP_COST = 16  # a binary search takes as long as walking over this many rules of a posting


class Posting:
    """The rules that hold one term, ascending, with what the term adds to the evidence of each.

    `share` scales the weights, for a term that a prompt repeats all over; `peak` is the largest weight, scaled.
    """

    __slots__ = ("peak", "rules", "share", "weights")

    def __init__(self, *, rules: Sequence[int], weights: Sequence[float], peak: float, share: float = 1.0) -> None:
        self.rules = rules
        self.weights = weights
        self.peak = peak * share
        self.share = share

    def holds(self, rule: int) -> bool:
        at = bisect_left(self.rules, rule)
        return at < len(self.rules) and self.rules[at] == rule


def score(postings: Sequence[Posting], *, floor: float) -> dict[int, float]:
    """Rule number to evidence, exact and complete for the rules that reach the floor; others may be missing.

    The rarest terms come first. Once the terms that are left could not lift a new rule to the floor, no rule is
    admitted any more, and the common terms only count for the rules that are still in the race.
    """
    rarest_first = sorted(postings, key=_frequency)
    left = sum(posting.peak for posting in rarest_first) + ROUNDING
    top_peak = 0.0
    scores: dict[int, float] = {}
    for posting in rarest_first:
        if left >= floor:
            _add_all(posting, scores)
            top_peak = max(top_peak, posting.peak)
        else:
            if left + top_peak < floor:  # from here on, one admitted term is not enough: most rules drop out
                scores = {rule: evidence for rule, evidence in scores.items() if evidence + left >= floor}
            _add_to_known(posting, scores)
        left -= posting.peak
    return {rule: evidence for rule, evidence in scores.items() if evidence >= floor}


def _frequency(posting: Posting) -> int:
    return len(posting.rules)


def _add_all(posting: Posting, scores: dict[int, float]) -> None:
    share, known = posting.share, scores.get
    for rule, weight in zip(posting.rules, posting.weights, strict=True):
        scores[rule] = known(rule, 0.0) + weight * share


def _add_to_known(posting: Posting, scores: dict[int, float]) -> None:
    if len(posting.rules) > LOOKUP_COST * len(scores):
        _look_up_each(posting, scores)
        return
    share = posting.share
    for rule, weight in zip(posting.rules, posting.weights, strict=True):
        if rule in scores:
            scores[rule] += weight * share


def _look_up_each(posting: Posting, scores: dict[int, float]) -> None:
    rules, weights, share = posting.rules, posting.weights, posting.share
    end = len(rules)
    for rule in scores:
        at = bisect_left(rules, rule)
        if at < end and rules[at] == rule:
            scores[rule] += weights[at] * share
