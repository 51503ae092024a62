"""A labelled set, one or two ways to search and a model > the figures of each way, and how sure their difference is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.bootstrap import Difference, paired_difference
from retrieval.evaluation import Report, asked, evaluate

if TYPE_CHECKING:
    from retrieval.embeddings.labelled_vectors import LabelledVectors
    from retrieval.embeddings.protocol import Embedder
    from retrieval.labelled_sets import LabelledSet


@dataclass(frozen=True)
class Comparison:
    """`difference`: first mode minus second, None for one mode alone."""

    reports: Sequence[Report]
    difference: Difference | None


def compare_modes(labelled: LabelledSet, modes: Sequence[str], *, embedder: Embedder | None) -> Comparison:
    """`embedder` may be None when all modes are lexical. Raises EmbedderUnavailable."""
    vectors = None if embedder is None else encode_set(labelled, embedder)
    reports = [evaluate(labelled, mode=mode, vectors=vectors) for mode in modes]
    difference = paired_difference(reports[0].scores, reports[1].scores) if len(reports) > 1 else None
    return Comparison(reports, difference)


def encode_set(labelled: LabelledSet, embedder: Embedder) -> LabelledVectors:
    """Raises EmbedderUnavailable."""
    from retrieval.embeddings.labelled_vectors import LabelledVectors  # noqa: PLC0415  numpy; most evaluations need none

    return LabelledVectors(embedder, labelled.documents, asked(labelled))
