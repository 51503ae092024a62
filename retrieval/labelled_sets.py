"""A labelled set on disk > its documents and queries.

A set is a folder of JSON lines: docs (id, text; if there are any, variants, terms, action), queries (id, text; rule and
kind, when they are prompts), and qrels (query, doc, grade), when whole documents are graded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval.lexical.results import Document


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
