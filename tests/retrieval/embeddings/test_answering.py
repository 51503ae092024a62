"""Questions that came together: one answer each, whatever the model does."""

import time

import numpy as np
import pytest

from retrieval.embeddings.answering import Answerer
from retrieval.embeddings.inbox import Question, Turns
from retrieval.embeddings.matrix import VectorMatrix
from retrieval.embeddings.pools import Place
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.scale import CosineScale
from retrieval.lexical.segment import FORMAL, GLOBAL
from tests.fakes import FakeEmbedder

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


@pytest.fixture
def answer(tmp_path):
    """answer("push", "restore"): what each of these prompts gets, asked together."""

    def run(*prompts, embedder=None, turns=None):
        embedder = embedder or FakeEmbedder(languages=frozenset({"zh", "en"}))
        matrix = VectorMatrix(str(tmp_path / "matrix"), dimensions=64)
        for text in ("push to main", "restore a backup"):
            matrix.put(text, FakeEmbedder().encode_document([text]), fingerprint="a")
        matrix.place({"push to main": Place(FORMAL | GLOBAL), "restore a backup": Place(FORMAL | GLOBAL, number=1)})
        scale = CosineScale(FakeEmbedder().encode_query(["push to main"]), 0.1, (0.3, 0.4))
        answerer = Answerer(embedder, matrix, turns=turns, scale=lambda: scale)
        questions = [Question(prompt, project_id="", deadline=time.monotonic() + 60) for prompt in prompts]
        answerer.answer(questions)
        return [question.wait() for question in questions]

    return run


class Broken(FakeEmbedder):
    def __init__(self, gives):
        super().__init__()
        self._gives = gives

    def encode_query(self, texts):
        if isinstance(self._gives, Exception):
            raise self._gives
        return self._gives


def test_each_gets_its_own_neighbours(answer):
    push, restore = answer("push", "restore", turns=Turns())

    assert push["formal"][0][0] == "push to main"
    assert restore["formal"][0][0] == "restore a backup"
    assert (push["state"], push["model"], push["floors"], push["languages"]) == (
        "ready",
        "fake",
        (0.3, 0.4),
        ["en", "zh"],
    )
    assert push["offset"] == pytest.approx(0.1 + push["formal"][0][1])
    assert restore["offset"] == pytest.approx(0.1, abs=0.2)


@pytest.mark.parametrize(
    ("gives", "problem"),
    [
        pytest.param(EmbedderUnavailable("The endpoint failed."), "The endpoint failed.", id="endpoint fails"),
        pytest.param(MemoryError(), "MemoryError", id="anything else"),
        pytest.param(np.zeros((2, 3), np.float32), "ValueError", id="other length"),
    ],
)
def test_when_the_model_fails_everybody_is_told_at_once(answer, gives, problem):
    answers = answer("push", "restore", embedder=Broken(gives))

    assert answers == [{"state": "failed", "problem": problem}] * 2


def test_a_secret_in_a_prompt_does_not_leave_for_an_endpoint(answer):
    embedder = FakeEmbedder()

    answer(f"push with {SECRET}", embedder=embedder, turns=None)

    (sent,) = embedder.encoded
    assert sent.startswith("push with ")
    assert SECRET not in sent
