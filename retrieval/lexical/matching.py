"""A prompt held against an index: which rules share terms with it, how strongly, and in which passage.

Every distinct term is looked up once. A term that stands in k passages of a long prompt counts 1 / bit_length(k), so that
a word that a log repeats on every line says little; a word beside its concept counts EXPLAINED_SHARE.
"""

from __future__ import annotations

from retrieval.lexical.bm25 import K1
from retrieval.lexical.concepts import is_marker
from retrieval.lexical.scoring import ROUNDING, score, score_dense, score_these

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retrieval.lexical.packed import Index
    from retrieval.lexical.passages import Passage
    from retrieval.lexical.results import Meaning
    from retrieval.lexical.scoring import Posting
    from retrieval.lexical.segment import Segment

EXPLAINED_SHARE = 0.5  # of a word that counts as its concept, too; else a word in both texts would count twice


class Match:
    """A rule by its number in the index, with its evidence and the passage that gave it."""

    __slots__ = ("bm25", "evidence", "meaning", "number", "passage")

    def __init__(self, number: int, *, evidence: float, bm25: float, passage: Passage) -> None:
        self.number = number
        self.evidence = evidence
        self.bm25 = bm25
        self.passage = passage
        self.meaning: Meaning | None = None


class MatchedPrompt:
    """The passages of a prompt, and for each segment of the index the postings of their terms."""

    def __init__(self, passages: Sequence[Passage], index: Index) -> None:
        self.index = index
        self.passages = passages
        self._repeats: dict[str, int] = {}
        self._explained: set[str] = set()
        for passage in self.passages:
            self._explained |= passage.explained
            for term in passage.words:
                self._repeats[term] = self._repeats.get(term, 0) + 1
        self._postings = [self._look_up(segment) for segment in index.segments]

    @property
    def is_long(self) -> bool:
        return len(self.passages) > 1

    @property
    def ideal_bm25(self) -> float:
        """What holding every word of the prompt, again and again, would give."""
        base = self.index.base
        return (K1 + 1) * sum(base.idf_or_rarest(term) for term in self._repeats if not is_marker(term))

    def rank(self, floor: float) -> list[Match]:
        """Every rule, of all pools, that has at least this evidence; best BM25 first."""
        matches: list[Match] = []
        first_number = 0
        for segment, postings in zip(self.index.segments, self._postings, strict=True):
            for rule, (evidence, passage) in self._best_passages(postings, floor).items():
                number = first_number + rule
                if number not in self.index.stale:
                    bm25 = evidence * segment.norms[rule]
                    matches.append(Match(number, evidence=evidence, bm25=bm25, passage=passage))
            first_number += segment.rule_count
        matches.sort(key=_rank_key)
        return matches

    def matches_of(self, numbers: Collection[int]) -> list[Match]:
        """These rules with what they share with a short prompt, be it nothing."""
        passage = self.passages[0]
        matches: list[Match] = []
        first_number = 0
        for segment, postings in zip(self.index.segments, self._postings, strict=True):
            rules = [number - first_number for number in numbers if 0 <= number - first_number < segment.rule_count]
            present = [postings[term] for term in passage.words if term in postings]
            for rule, evidence in score_these(rules, present).items():
                bm25 = evidence * segment.norms[rule]
                matches.append(Match(first_number + rule, evidence=evidence, bm25=bm25, passage=passage))
            first_number += segment.rule_count
        return matches

    def matched_terms(self, match: Match) -> list[str]:
        """The terms of the passage that the rule holds, in the prompt's order."""
        segment, rule = self.index.locate(match.number)
        postings = self._postings[self.index.segments.index(segment)]
        return [term for term in match.passage.words if term in postings and postings[term].holds(rule)]

    def _look_up(self, segment: Segment) -> dict[str, Posting]:
        found: dict[str, Posting] = {}
        for term, repeats in self._repeats.items():
            number = segment.find_term(term)
            if number is not None:
                whole = EXPLAINED_SHARE if term in self._explained else 1.0
                found[term] = segment.posting(number, share=whole / repeats.bit_length())
        return found

    def _best_passages(self, postings: dict[str, Posting], floor: float) -> dict[int, tuple[float, Passage]]:
        best: dict[int, tuple[float, Passage]] = {}
        score_passage = score_dense if self.is_long else score
        for passage in self.passages:
            present = [postings[term] for term in passage.words if term in postings]
            if sum(posting.peak for posting in present) + ROUNDING < floor:
                continue
            for rule, evidence in score_passage(present, floor=floor).items():
                if rule not in best or evidence > best[rule][0]:
                    best[rule] = (evidence, passage)
        return best


def _rank_key(match: Match) -> tuple[float, int]:
    return -match.bm25, match.number
