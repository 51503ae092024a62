"""Questions that came together > one answer each: encoded in one go, compared with all vectors in one product."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.lexical.embed_client import READY
from rules.redaction import redact_all

if TYPE_CHECKING:
    from retrieval.embeddings.inbox import Question, Turns
    from retrieval.embeddings.matrix import Near, VectorMatrix
    from retrieval.embeddings.protocol import Embedder, Vectors
    from retrieval.embeddings.scale import CosineScale

NEAREST = 50  # rules of each pool in one answer
MOST_AT_ONCE = 32  # questions
NO_FLOORS = (math.inf, math.inf)  # no search goes by them

logger = logging.getLogger(__name__)


class Answerer:
    """`turns` is None for a model elsewhere; `scale` is asked for with each answer, since it changes with the rules."""

    def __init__(
        self,
        embedder: Embedder,
        matrix: VectorMatrix,
        *,
        turns: Turns | None,
        scale: Callable[[], CosineScale | None],
    ) -> None:
        self._embedder = embedder
        self._matrix = matrix
        self._turns = turns
        self._scale = scale

    def answer(self, questions: Sequence[Question]) -> None:
        try:
            vectors = self._encode([question.prompt for question in questions])
            found = self._matrix.near(vectors, [question.project_id for question in questions], limit=NEAREST)
            answers = self._answers(vectors, found)
        except EmbedderUnavailable as error:
            answers = [{"state": "failed", "problem": str(error)}] * len(questions)
        except Exception as error:  # the next prompt may fare better
            logger.exception("a prompt could not be answered")
            answers = [{"state": "failed", "problem": type(error).__name__}] * len(questions)
        for question, answer in zip(questions, answers, strict=True):
            question.answer(answer)

    def _encode(self, prompts: list[str]) -> Vectors:
        if self._turns is None:
            return self._embedder.encode_query(redact_all(prompts))  # they leave this machine
        with self._turns.for_prompts():
            return self._embedder.encode_query(prompts)

    def _answers(self, vectors: Vectors, found: Sequence[Near]) -> list[dict[str, Any]]:
        scale = self._scale()
        if scale is None:
            return [self._answer(near, offset=0.0, floors=NO_FLOORS) for near in found]
        offsets = scale.offsets(vectors)
        return [
            self._answer(near, offset=offset, floors=scale.floors) for near, offset in zip(found, offsets, strict=True)
        ]

    def _answer(self, near: Near, *, offset: float, floors: tuple[float, float]) -> dict[str, Any]:
        languages = self._embedder.languages
        return {
            "state": READY,
            "model": self._embedder.model_id,
            "formal": near.formal,
            "shadow": near.shadow,
            "content": near.content_id,
            "floors": floors,
            "offset": offset,
            "languages": None if languages is None else sorted(languages),
        }
