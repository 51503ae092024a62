"""Sums the evidence of a prompt for every rule that can reach a floor: postings in, rule number to evidence out.

evidence(rule) = sum over the prompt's terms of the weight stored for (term, rule) * the term's share. Skipping is exact:
a rule at or above the floor is always there, with its whole sum.
"""

from __future__ import annotations

from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

ROUNDING = 1e-5  # weights are stored in 32 bits, floors in 64
LOOKUP_COST = 16  # a binary search takes as long as walking over this many rules of a posting
FEW_RULES = 24  # so many rules are summed one by one, before bitmaps are worth their while
MANY_TERMS = 3  # where a rule must hold fewer of the terms, too many rules do


class Posting:
    """The rules that hold one term, ascending, with what the term adds to the evidence of each.

    `share` scales the weights, for a term that a prompt repeats all over; `peak` is the largest weight, scaled.
    `bitmap` has a bit for each rule of the segment, lowest first, and is None for a rarer term.
    """

    __slots__ = ("_bitmap", "_bits", "_rule_count", "peak", "rules", "share", "weights")

    def __init__(
        self,
        *,
        rules: Sequence[int],
        weights: Sequence[float],
        peak: float,
        rule_count: int,
        share: float = 1.0,
        bitmap: memoryview | None = None,
    ) -> None:
        self.rules = rules
        self.weights = weights
        self.peak = peak * share
        self.share = share
        self._rule_count = rule_count
        self._bitmap = bitmap
        self._bits: int | None = None

    def holds(self, rule: int) -> bool:
        at = bisect_left(self.rules, rule)
        return at < len(self.rules) and self.rules[at] == rule

    @property
    def bits(self) -> int:
        """The rules as the bits of one number."""
        if self._bits is None:
            bitmap = make_bitmap(self.rules, rule_count=self._rule_count) if self._bitmap is None else self._bitmap
            self._bits = int.from_bytes(bitmap, "little")
        return self._bits


def bitmap_size(rule_count: int) -> int:
    return rule_count // 8 + 1  # bytes


def make_bitmap(rules: Sequence[int], *, rule_count: int) -> bytes:
    bitmap = bytearray(bitmap_size(rule_count))
    for rule in rules:
        bitmap[rule >> 3] |= 1 << (rule & 7)
    return bytes(bitmap)


def score(postings: Sequence[Posting], *, floor: float) -> dict[int, float]:
    """Rule number to evidence, exact and complete for the rules that reach the floor; others may be missing.

    The terms that say most for the length of their list come first. Once the terms that are left could not lift a new rule
    to the floor, no rule is admitted any more, and they only count for the rules that are still in the race.
    """
    by_worth = sorted(postings, key=_rules_for_weight)
    left = sum(posting.peak for posting in by_worth) + ROUNDING
    top_peak = 0.0
    scores: dict[int, float] = {}
    for posting in by_worth:
        if left >= floor:
            _add_all(posting, scores)
            top_peak = max(top_peak, posting.peak)
        else:
            if left + top_peak < floor:  # from here on, one admitted term is not enough: most rules drop out
                scores = _reaching(floor - left, scores)
            _add_to_known(posting, scores)
        left -= posting.peak
    return _reaching(floor, scores)


def score_dense(postings: Sequence[Posting], *, floor: float) -> dict[int, float]:
    """The same answer as score(), sooner for one of many passages whose words are mostly words of rules.

    There a rule must hold several of the terms. Which ones do is found for all rules at once, on bitmaps that the
    passages share; only those are summed, and the rules that hold one of the rarest terms.
    """
    rare, common = _split_rarest(postings)
    needed = _terms_needed(common, floor=floor)
    if 0 < needed < MANY_TERMS:
        return score(postings, floor=floor)
    candidates = {rule for posting in rare for rule in posting.rules}
    if needed:
        candidates.update(_rules_in(_holding(needed, common)))
    return _sum_up(candidates, (*rare, *common), floor=floor)


def score_these(rules: Collection[int], postings: Sequence[Posting]) -> dict[int, float]:
    """The exact evidence of each of these rules, however little."""
    scores = dict.fromkeys(rules, 0.0)
    for posting in postings:
        _add_to_known(posting, scores)
    return scores


def _sum_up(candidates: Collection[int], postings: Sequence[Posting], *, floor: float) -> dict[int, float]:
    """The candidates that reach the floor; one drops out as soon as the terms that are left cannot lift it there."""
    scores = dict.fromkeys(candidates, 0.0)
    left = sum(posting.peak for posting in postings) + ROUNDING
    for posting in postings:
        if not scores:
            break
        _add_to_known(posting, scores)
        left -= posting.peak
        scores = _reaching(floor - left, scores)
    return _reaching(floor, scores)


def _split_rarest(postings: Sequence[Posting]) -> tuple[list[Posting], list[Posting]]:
    """The rarest terms, which FEW_RULES hold together, and the others."""
    rarest_first = sorted(postings, key=_frequency)
    rules = 0
    for place, posting in enumerate(rarest_first):
        rules += len(posting.rules)
        if rules > FEW_RULES:
            return rarest_first[:place], rarest_first[place:]
    return rarest_first, []


def _terms_needed(postings: Sequence[Posting], *, floor: float) -> int:
    """The fewest of these terms that can lift a rule to the floor; 0 when all of them cannot."""
    reached = ROUNDING
    for count, peak in enumerate(sorted((posting.peak for posting in postings), reverse=True), start=1):
        reached += peak
        if reached >= floor:
            return count
    return 0


def _holding(needed: int, postings: Sequence[Posting]) -> int:
    """A bitmap of the rules that hold at least that many of the terms."""
    holding = [0] * needed  # at n: the rules that hold more than n of the terms so far
    for posting in postings:
        bits = posting.bits
        for count in range(needed - 1, 0, -1):
            holding[count] |= holding[count - 1] & bits
        holding[0] |= bits
    return holding[-1]


def _rules_in(bitmap: int) -> list[int]:
    digits = f"{bitmap:b}"[::-1]
    rules: list[int] = []
    at = digits.find("1")
    while at >= 0:
        rules.append(at)
        at = digits.find("1", at + 1)
    return rules


def _reaching(floor: float, scores: dict[int, float]) -> dict[int, float]:
    return {rule: evidence for rule, evidence in scores.items() if evidence >= floor}


def _frequency(posting: Posting) -> int:
    return len(posting.rules)


def _rules_for_weight(posting: Posting) -> float:
    """How many rules a term brings into the race for the most that it can add: a common word of little weight comes last."""
    return len(posting.rules) / posting.peak if posting.peak else 0.0


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
