"""Rules in, Documents out: what of a rule is published. Columns only, no model instances: ten thousand are read.

A row that is older than the redaction may hold a secret; what is published holds none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.lexical.results import Document
from rules.models import Rule
from rules.redaction import redact_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from uuid import UUID

    from rules.models import RuleQuerySet

SAME = ("short_id", "trigger", "action", "status", "source_type", "confidence", "project_id", "tool_pattern",
        "rationale", "trigger_zh", "action_zh", "rationale_zh", "excludes")  # fmt: skip
TEXTS = ("trigger", "action", "rationale", "trigger_zh", "action_zh", "rationale_zh")
JOINED = ("pk", "project_scope", "variants", "variants_zh", "search_terms")
CHUNK = 2_000  # rows fetched at a time


def published_documents() -> Iterator[Document]:
    """Everything that a search may meet."""
    return _documents(Rule.objects.published().order_by("pk"))


def count_published() -> int:
    return Rule.objects.published().count()


def documents_of(rule_ids: Collection[UUID]) -> list[Document]:
    """Those of the rules that a search may meet; a few rules, not the pool."""
    return list(_documents(Rule.objects.published().filter(pk__in=rule_ids)))


def _documents(rules: RuleQuerySet) -> Iterator[Document]:
    for pk, scope, variants, variants_zh, search_terms, *same in rules.values_list(*JOINED, *SAME).iterator(CHUNK):
        columns = dict(zip(SAME, same, strict=True))
        lists = [*variants, *variants_zh], _all_languages(search_terms.values())
        texts = redact_all([*(columns[name] for name in TEXTS), *lists[0], *lists[1]])
        columns |= dict(zip(TEXTS, texts, strict=False))
        first_term = len(TEXTS) + len(lists[0])
        yield Document(
            rule_id=str(pk),
            scope=scope,
            variants=tuple(texts[len(TEXTS) : first_term]),
            terms=tuple(texts[first_term:]),
            **columns,
        )


def _all_languages(lists: Iterable[list[str]]) -> tuple[str, ...]:
    return tuple(term for terms in lists for term in terms)
