"""A labelled set in, figures out: how well search ranks, or which prompts it lets through to which tier.

A graded set is ranked in full, without a floor; prompts meet the floors that are calibrated for their own rules, as they
would after a publish. By words (lexical), by meaning (dense), or by both (fused), as hooks do where a model is at hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.calibration import background, calibrate
from retrieval.labelled_sets import LabelledSet, Query
from retrieval.lexical.fusion import convex_scores, top_bm25, words_weight
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.meaning import Blend
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import pack, with_floors
from retrieval.lexical.passages import whole_prompt
from retrieval.lexical.results import Floors, Tier
from retrieval.lexical.search import search
from retrieval.ranking_metrics import RANKED, RECALLED, hit_at_one, ndcg, recall, reciprocal_rank

if TYPE_CHECKING:
    from retrieval.embeddings.labelled_vectors import LabelledVectors

LEXICAL, DENSE, FUSED = MODES = ("lexical", "dense", "fused")
FUSED_PLACES = 100  # of each list
SHOWN = 5  # rules of one prompt at most
NO_FLOORS = Floors(short=0.0, long=0.0)
VERBATIM = "trigger word for word"  # a kind of prompt that needs no labels
SILENT_KINDS = ("negative", "unrelated")  # of prompts that should inject nothing
NEAR_MISS = "near_miss"
NDCG = f"nDCG@{RANKED}"
Figures = dict[str, float]


@dataclass(frozen=True)
class Report:
    """Figures by kind of query: of prompts counts, of graded queries means. `scores` has one figure for each query.

    That figure is nDCG, or 1 where a prompt that is about a rule gets it and one that is about none gets nothing; near
    misses have none, for nothing tells them from hits.
    """

    name: str
    mode: str
    documents: int
    floors: Floors | None
    figures: Mapping[str, Mapping[str, float]]
    scores: Sequence[float]


def evaluate(labelled: LabelledSet, *, mode: str = LEXICAL, vectors: LabelledVectors | None = None) -> Report:
    """`vectors` are needed by all modes but LEXICAL, for every text of `asked(labelled)`."""
    data = pack(labelled.documents, background=background(), floors=NO_FLOORS, change_counter=0)
    index = Index.from_bytes(data)
    if labelled.is_graded:
        return _evaluate_ranking(labelled, _Ways(index, mode, vectors))
    floors = calibrate(index)
    return _evaluate_tiers(labelled, _Ways(Index.from_bytes(with_floors(data, floors)), mode, vectors), floors)


def asked(labelled: LabelledSet) -> list[str]:
    """Every text that is searched with, once."""
    triggers = [] if labelled.is_graded else [document.trigger for document in labelled.documents]
    return list(dict.fromkeys([*(query.text for query in labelled.queries), *triggers]))


@dataclass(frozen=True)
class _Ways:
    """The three ways to find something in one index."""

    index: Index
    mode: str
    vectors: LabelledVectors | None

    def ranking(self, text: str) -> list[str]:
        """The first ids, without any floor."""
        cosines = {} if self.mode == LEXICAL else dict(self._known().nearest(text, limit=FUSED_PLACES))
        if self.mode == DENSE:
            return list(cosines)[:RANKED]
        matched = MatchedPrompt([whole_prompt(text)], self.index)
        words = {self.index.rule_id(match.number): match.bm25 for match in matched.rank(0.0)[:FUSED_PLACES]}
        if not cosines or not self._known().knows(text):
            return list(words)[:RANKED]
        weight = words_weight(self._known().model_id)
        top = top_bm25(words.values(), ideal=matched.ideal_bm25)
        scores = convex_scores(words, cosines, weight=weight, top=top)
        return sorted(scores, key=lambda rule_id: -scores[rule_id])[:RANKED]

    def shown(self, text: str) -> list[tuple[str, str]]:
        """Rule id and tier of what would be injected."""
        if self.mode == DENSE:
            answer = self._known().answer(text)
            near = [rule_id for rule_id, cosine in answer.formal if cosine - answer.offset >= answer.floors[0]]
            return [(rule_id, Tier.WARM) for rule_id in near[:SHOWN]]
        blend = None if self.mode == LEXICAL else Blend(self._known().answer(text))
        hits = search(text, index=self.index, project_id="", blend=blend).formal
        return [(hit.document.rule_id, hit.tier) for hit in hits if hit.tier != Tier.COLD]

    def _known(self) -> LabelledVectors:
        if self.vectors is None:
            raise ValueError(self.mode)
        return self.vectors


def _evaluate_ranking(labelled: LabelledSet, ways: _Ways) -> Report:
    graded = [query for query in labelled.queries if any(query.grades.values())]
    pairs = [(ways.ranking(query.text), query.grades) for query in graded]
    scores = [ndcg(*pair) for pair in pairs]
    figures = {
        "queries": len(pairs),
        NDCG: _mean(scores),
        f"recall@{RECALLED}": _mean([recall(*pair) for pair in pairs]),
        "MRR": _mean([reciprocal_rank(*pair) for pair in pairs]),
        "hit@1": _mean([hit_at_one(*pair) for pair in pairs]),
    }
    return Report(labelled.name, ways.mode, ways.index.rule_count, None, {"graded": figures}, scores)


def _evaluate_tiers(labelled: LabelledSet, ways: _Ways, floors: Floors) -> Report:
    """By kind: prompts, those whose own rule is injected, and is first; those that inject anything, and anything HOT."""
    verbatim = [Query(rule.trigger, rule=rule.rule_id, kind=VERBATIM) for rule in labelled.documents]
    figures: dict[str, Figures] = {}
    scores: list[float] = []
    for prompt in [*labelled.queries, *verbatim]:
        judged = _judge(ways.shown(prompt.text), rule=prompt.rule)
        counts = figures.setdefault(prompt.kind or "prompts", {})
        for name, is_true in judged.items():
            counts[name] = counts.get(name, 0) + is_true
        if prompt.kind not in (VERBATIM, NEAR_MISS):
            is_about_none = not prompt.rule or prompt.kind in SILENT_KINDS
            scores.append(float(not judged["any"] if is_about_none else judged["own rule"]))
    return Report(labelled.name, ways.mode, ways.index.rule_count, floors, figures, scores)


def _judge(shown: Sequence[tuple[str, str]], *, rule: str) -> dict[str, bool]:
    ids = [rule_id for rule_id, _ in shown]
    return {
        "prompts": True,
        "own rule": rule in ids,
        "own rule first": ids[:1] == [rule],
        "own rule HOT": (rule, Tier.HOT) in shown,
        "any": bool(shown),
        "any HOT": any(tier == Tier.HOT for _, tier in shown),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
