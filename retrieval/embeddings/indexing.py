"""Rules in, vectors out: which rules have none or old ones, and a small batch of them at a time into rows and matrix.

A batch is one transaction, so whoever is killed in the middle loses at most one. A rule's fingerprint covers all its
chunks: whatever changes them, a text or a setting, has the rule encoded anew.
"""

from __future__ import annotations

import hashlib
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from django.db import transaction

from retrieval.documents import documents_of, published_documents
from retrieval.embeddings.chunks import rule_chunks
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.models import RuleEmbedding
from rules.models import Rule
from rules.pool import calibrated_at, changed_since, pool_counter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retrieval.embeddings.inbox import Turns
    from retrieval.embeddings.matrix import VectorMatrix
    from retrieval.embeddings.protocol import Embedder, Vectors
    from retrieval.lexical.results import Document

STORED = np.dtype("<f4")
MAX_CHANGED = 1_024  # rules; for more all are looked at
FIRST_BATCH, LARGEST_BATCH = 4, 64  # rules
BATCH_SECONDS = 0.05  # that a prompt may have to wait; batches grow and shrink towards it
ROWS_AT_ONCE = 2_000
UNKNOWN_COUNTER = -1


@dataclass(frozen=True)
class Work:
    """One rule whose vectors are missing or old."""

    rule_id: str
    chunks: list[str]
    fingerprint: str


@dataclass(frozen=True)
class ChunkSizes:
    size: int  # characters
    count: int  # most of one rule


class Indexer:
    """Used by one thread; `todo` may be looked at by others."""

    def __init__(self, embedder: Embedder, matrix: VectorMatrix, *, sizes: ChunkSizes, turns: Turns | None) -> None:
        """turns: None when encoding rules does not keep prompts waiting."""
        self.todo: deque[Work] = deque()
        self.counter = UNKNOWN_COUNTER  # the change counter that the last plan was made at
        self.embedder = embedder
        self.matrix = matrix
        self._sizes = sizes
        self._turns = turns
        self._batch = FIRST_BATCH

    def load(self) -> None:
        """The kept vectors of this model into the matrix; those of another length count as missing."""
        rows = RuleEmbedding.objects.filter(model_id=self.embedder.model_id, dimensions=self.embedder.dimensions)
        columns = rows.order_by("rule_id", "chunk").values_list("rule_id", "fingerprint", "vector")
        for rule_id, chunks in groupby(columns.iterator(ROWS_AT_ONCE), key=itemgetter(0)):
            self._load_rule(str(rule_id), list(chunks))

    def plan(self) -> None:
        """Works out what is to be done since the last plan."""
        counter = pool_counter()
        if counter == self.counter:
            return
        changed = None if self._must_look_at_all() else changed_since(self.counter, most=MAX_CHANGED + 1)
        if changed is None or len(changed) > MAX_CHANGED:
            self._plan_all()
        else:
            self._add(documents_of(changed))
        self.counter = counter

    def start_over(self) -> None:
        """Has every rule encoded anew; the old vectors serve until then."""
        self.todo.clear()
        self.todo.extend(self._work(document) for document in published_documents())

    def forget_other_models(self) -> None:
        RuleEmbedding.objects.exclude(model_id=self.embedder.model_id).delete()

    def step(self) -> int:
        """Encodes and keeps one batch; how many rules were in it. Raises EmbedderUnavailable, DatabaseError."""
        batch = list(islice(self.todo, self._batch))
        if not batch:
            return 0
        start = monotonic()
        vectors = self._encode([chunk for work in batch for chunk in work.chunks])
        self._fit_batch(monotonic() - start)
        self._keep(batch, vectors)
        for _ in batch:
            self.todo.popleft()
        return len(batch)

    def _load_rule(self, rule_id: str, chunks: Sequence[tuple[object, str, bytes | memoryview]]) -> None:
        _, fingerprint, _ = chunks[0]
        try:
            numbers = np.frombuffer(b"".join(vector for _, _, vector in chunks), STORED)
            self.matrix.put(rule_id, numbers.reshape(len(chunks), -1), fingerprint=fingerprint)
        except ValueError:
            return  # damaged, so it counts as missing

    def _must_look_at_all(self) -> bool:
        """Changes before floors were computed last are forgotten."""
        return self.counter == UNKNOWN_COUNTER or calibrated_at() > self.counter

    def _plan_all(self) -> None:
        self.todo.clear()
        seen = set()
        for document in published_documents():
            seen.add(document.rule_id)
            self._add([document])
        self.matrix.keep_only(frozenset(seen))

    def _add(self, documents: Iterable[Document]) -> None:
        works = (self._work(document) for document in documents)
        self.todo.extend(work for work in works if self.matrix.fingerprint_of(work.rule_id) != work.fingerprint)

    def _work(self, document: Document) -> Work:
        chunks = rule_chunks(document, size=self._sizes.size, count=self._sizes.count)
        return Work(document.rule_id, chunks, fingerprint(chunks))

    def encode_prompts(self, prompts: list[str]) -> Vectors:
        """Prompts that nobody waits for. Raises EmbedderUnavailable."""
        with self._turn():
            return self._checked(self.embedder.encode_query(prompts), count=len(prompts))

    def _encode(self, texts: list[str]) -> Vectors:
        with self._turn():
            return self._checked(self.embedder.encode_document(texts), count=len(texts))

    def _turn(self) -> AbstractContextManager[None]:
        return nullcontext() if self._turns is None else self._turns.for_rules()

    def _checked(self, vectors: Vectors, *, count: int) -> Vectors:
        if vectors.shape != (count, self.embedder.dimensions) or not np.isfinite(vectors).all():
            raise EmbedderUnavailable(
                f"The model {self.embedder.model_id} gave vectors that are none; install it anew or choose another."
            )
        return vectors

    def _fit_batch(self, seconds: float) -> None:
        if seconds > 2 * BATCH_SECONDS:
            self._batch = max(1, self._batch // 2)
        elif seconds < BATCH_SECONDS / 2:
            self._batch = min(LARGEST_BATCH, 2 * self._batch)

    def _keep(self, batch: Sequence[Work], vectors: Vectors) -> None:
        """In the database first: what the matrix has is there. A rule that is gone by now is left out."""
        ends = np.cumsum([len(work.chunks) for work in batch])
        own = dict(zip((work.rule_id for work in batch), np.split(vectors, ends[:-1]), strict=True))
        with transaction.atomic():
            keys = Rule.objects.filter(pk__in=own).values_list("pk", flat=True)
            kept = [work for work in batch if work.rule_id in {str(key) for key in keys}]
            RuleEmbedding.objects.filter(
                rule__in=[work.rule_id for work in kept], model_id=self.embedder.model_id
            ).delete()
            RuleEmbedding.objects.bulk_create(row for work in kept for row in self._rows(work, own[work.rule_id]))
        for work in kept:
            self.matrix.put(work.rule_id, own[work.rule_id], fingerprint=work.fingerprint)

    def _rows(self, work: Work, vectors: Vectors) -> list[RuleEmbedding]:
        return [
            RuleEmbedding(
                rule_id=work.rule_id,
                chunk=number,
                model_id=self.embedder.model_id,
                dimensions=self.embedder.dimensions,
                fingerprint=work.fingerprint,
                vector=vector.astype(STORED).tobytes(),
            )
            for number, vector in enumerate(vectors)
        ]


def fingerprint(chunks: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(chunks).encode("utf-8", "replace")).hexdigest()[:32]
