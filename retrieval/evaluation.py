"""A labelled set in, figures out: how well search ranks, or which prompts it lets through to which tier.

A set is a folder of JSON lines: docs (id, text; if there are any, variants, terms, action), queries (id, text; rule and
kind, when they are prompts), and qrels (query, doc, grade), when whole documents are graded. A graded set is ranked in
full, without a floor; prompts meet the floors that are calibrated for their own rules, as they would after a publish.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval.calibration import background, calibrate
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import pack, with_floors
from retrieval.lexical.passages import whole_prompt
from retrieval.lexical.results import Document, Floors, Hit, Tier
from retrieval.lexical.search import search

RANKED = 10  # places that count for nDCG
RECALLED = 5  # places that count for recall
NO_FLOORS = Floors(short=0.0, long=0.0)
VERBATIM = "trigger word for word"  # a kind of prompt that needs no labels


class LabelledSetUnreadableError(Exception):
    """A labelled set lacks a file, or holds a line that is not what it should be."""


@dataclass(frozen=True)
class Query:
    text: str
    rule: str = ""
    kind: str = ""
    grades: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelledSet:
    name: str
    documents: Sequence[Document]
    queries: Sequence[Query]

    @property
    def is_graded(self) -> bool:
        return any(query.grades for query in self.queries)


@dataclass(frozen=True)
class Report:
    """Figures by kind of query. Of prompts they are counts, of graded queries means."""

    name: str
    documents: int
    floors: Floors | None
    figures: Mapping[str, Mapping[str, float]]


def read_labelled_set(folder: Path) -> LabelledSet:
    """Raises LabelledSetUnreadableError."""
    try:
        documents = [_document(record) for record in _records(folder / "docs.jsonl")]
        grades: dict[str, dict[str, float]] = {}
        if (folder / "qrels.jsonl").exists():
            for record in _records(folder / "qrels.jsonl"):
                grades.setdefault(record["query"], {})[record["doc"]] = record["grade"]
        queries = [_query(record, grades) for record in _records(folder / "queries.jsonl")]
    except (OSError, UnicodeDecodeError) as error:
        raise LabelledSetUnreadableError(f"{folder.name} cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabelledSetUnreadableError(
            f"{folder.name} holds a line that is not as it should be: {error!r}"
        ) from error
    return LabelledSet(folder.name, documents, queries)


def evaluate(labelled: LabelledSet) -> Report:
    data = pack(labelled.documents, background=background(), floors=NO_FLOORS, change_counter=0)
    index = Index.from_bytes(data)
    if labelled.is_graded:
        graded = [query for query in labelled.queries if any(query.grades.values())]
        return Report(labelled.name, index.rule_count, None, {"graded": ranking_figures(graded, index)})
    floors = calibrate(index)
    index = Index.from_bytes(with_floors(data, floors))
    verbatim = [Query(rule.trigger, rule=rule.rule_id, kind=VERBATIM) for rule in labelled.documents]
    return Report(labelled.name, index.rule_count, floors, tier_figures([*labelled.queries, *verbatim], index))


def ranking_figures(queries: Sequence[Query], index: Index) -> dict[str, float]:
    rankings = [_ranking(query.text, index) for query in queries]
    pairs = list(zip(queries, rankings, strict=True))
    return {
        "queries": len(queries),
        f"nDCG@{RANKED}": _mean([ndcg(ranking, query.grades) for query, ranking in pairs]),
        f"recall@{RECALLED}": _mean([recall(ranking, query.grades) for query, ranking in pairs]),
        "MRR": _mean([reciprocal_rank(ranking, query.grades) for query, ranking in pairs]),
    }


def tier_figures(prompts: Sequence[Query], index: Index) -> dict[str, dict[str, float]]:
    """By kind: prompts, those whose own rule is injected, and is first; those that inject anything, and anything HOT."""
    figures: dict[str, dict[str, float]] = {}
    for prompt in prompts:
        shown = [hit for hit in search(prompt.text, index=index, project_id="").formal if hit.tier != Tier.COLD]
        counts = figures.setdefault(prompt.kind or "prompts", {})
        for name, is_true in _judge(shown, rule=prompt.rule).items():
            counts[name] = counts.get(name, 0) + is_true
    return figures


def ndcg(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    """Of the first RANKED places; a grade g gains 2 ** g - 1."""
    ideal = _discounted(sorted(grades.values(), reverse=True))
    return _discounted([grades.get(document, 0) for document in ranking]) / ideal if ideal else 0.0


def recall(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    wanted = {document for document, grade in grades.items() if grade > 0}
    return len(wanted.intersection(ranking[:RECALLED])) / min(len(wanted), RECALLED) if wanted else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    places = (place for place, document in enumerate(ranking, start=1) if grades.get(document, 0) > 0)
    return 1 / next(places, math.inf)


def _judge(shown: Sequence[Hit], *, rule: str) -> dict[str, bool]:
    ids = [hit.document.rule_id for hit in shown]
    return {
        "prompts": True,
        "own rule": rule in ids,
        "own rule first": ids[:1] == [rule],
        "own rule HOT": any(hit.document.rule_id == rule and hit.tier == Tier.HOT for hit in shown),
        "any": bool(shown),
        "any HOT": any(hit.tier == Tier.HOT for hit in shown),
    }


def _ranking(text: str, index: Index) -> list[str]:
    matches = MatchedPrompt([whole_prompt(text)], index).rank(0.0)
    return [index.document(match.number).rule_id for match in matches[:RANKED]]


def _discounted(gains: Sequence[float]) -> float:
    return sum((2**gain - 1) / math.log2(place + 1) for place, gain in enumerate(gains[:RANKED], start=1))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _document(record: Mapping[str, Any]) -> Document:
    return Document(
        rule_id=str(record["id"]),
        short_id=str(record["id"]),
        trigger=str(record["text"]),
        action=str(record.get("action", "")),
        variants=tuple(record.get("variants", ())),
        terms=tuple(record.get("terms", ())),
    )


def _query(record: Mapping[str, Any], grades: Mapping[str, Mapping[str, float]]) -> Query:
    return Query(
        text=str(record["text"]),
        rule=str(record.get("rule", "")),
        kind=str(record.get("kind", "")),
        grades=grades.get(record.get("id", ""), {}),
    )
