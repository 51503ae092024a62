"""Which rules are encoded, and what is kept of them."""

import itertools

import numpy as np
import pytest

from retrieval.embeddings.indexing import FIRST_BATCH, ChunkSizes, Indexer
from retrieval.embeddings.matrix import VectorMatrix
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.models import RuleEmbedding
from rules.models import Rule
from rules.pool import pool_counter, remember_calibration
from tests.factories import make_rule
from tests.fakes import FakeEmbedder

pytestmark = pytest.mark.django_db
LONG = "Never push to the shared branch by force. " * 5


@pytest.fixture
def make_indexer(tmp_path):
    """An indexer as a server that starts now has it."""
    numbers = itertools.count()

    def make(embedder=None, *, size=4000, count=2):
        embedder = embedder or FakeEmbedder()
        matrix = VectorMatrix(str(tmp_path / f"matrix-{next(numbers)}"), dimensions=embedder.dimensions)
        indexer = Indexer(embedder, matrix, sizes=ChunkSizes(size, count), turns=None)
        indexer.load()
        return indexer

    return make


def finish(indexer):
    """Plans, and works all of it off; how many rules were encoded."""
    indexer.plan()
    return sum(iter(indexer.step, 0))


def test_every_rule_that_a_search_may_meet_gets_its_vector(make_indexer, data_folder):
    known = [make_rule(), make_rule(status="dormant"), make_rule(status="candidate", project_id="shop")]
    make_rule(status="archived", archived_reason="old")

    assert finish(make_indexer()) == 3

    assert set(RuleEmbedding.objects.values_list("rule", flat=True)) == {rule.pk for rule in known}


def test_a_row_holds_the_vector_its_model_and_its_length(make_indexer, data_folder):
    rule = make_rule()

    finish(make_indexer())

    row = RuleEmbedding.objects.get()
    assert (row.rule, row.chunk, row.model_id, row.dimensions) == (rule, 0, "fake", 64)
    assert np.linalg.norm(np.frombuffer(row.vector, "<f4")) == pytest.approx(1)


def test_what_has_its_vector_is_not_encoded_again(make_indexer, data_folder):
    make_rule()
    finish(make_indexer())
    later = make_indexer()

    assert finish(later) == 0

    assert len(later.matrix) == 1
    assert later.embedder.encoded == []


def test_a_rule_whose_words_changed_is_encoded_again(make_indexer, data_folder):
    rule = make_rule()
    make_rule()
    indexer = make_indexer()
    finish(indexer)

    Rule.objects.filter(pk=rule.pk).update(trigger="Restoring a backup")

    assert finish(indexer) == 1
    assert RuleEmbedding.objects.count() == 2


def test_a_rule_whose_status_changed_is_not(make_indexer, data_folder):
    rule = make_rule()
    indexer = make_indexer()
    finish(indexer)

    Rule.objects.filter(pk=rule.pk).update(status="dormant")

    assert finish(indexer) == 0


def test_a_rule_that_came_later_is_encoded(make_indexer, data_folder):
    make_rule()
    indexer = make_indexer()
    finish(indexer)

    make_rule()

    assert finish(indexer) == 1
    assert len(indexer.matrix) == 2


def test_nothing_is_missed_when_the_changes_were_forgotten_meanwhile(make_indexer, data_folder):
    rule = make_rule()
    indexer = make_indexer()
    finish(indexer)
    Rule.objects.filter(pk=rule.pk).update(trigger="Restoring a backup")

    remember_calibration(pool_counter())

    assert finish(indexer) == 1


def test_a_long_rule_has_a_row_for_each_chunk_and_no_more_than_allowed(make_indexer, data_folder):
    make_rule(trigger=LONG)

    finish(make_indexer(size=60, count=3))

    assert sorted(RuleEmbedding.objects.values_list("chunk", flat=True)) == [0, 1, 2]


def test_another_size_of_chunks_has_the_rule_encoded_again_and_leaves_no_old_chunk(make_indexer, data_folder):
    make_rule(trigger=LONG)
    finish(make_indexer(size=60, count=3))

    assert finish(make_indexer(size=4000, count=2)) == 1

    assert RuleEmbedding.objects.count() == 1


def test_the_vectors_of_another_model_are_neither_used_nor_lost(make_indexer, data_folder):
    make_rule()
    finish(make_indexer(FakeEmbedder(model_id="old")))
    indexer = make_indexer(FakeEmbedder(model_id="new"))

    assert len(indexer.matrix) == 0
    assert finish(indexer) == 1
    assert set(RuleEmbedding.objects.values_list("model_id", flat=True)) == {"old", "new"}


def test_the_vectors_of_other_models_can_be_removed(make_indexer, data_folder):
    make_rule()
    finish(make_indexer(FakeEmbedder(model_id="old")))
    indexer = make_indexer(FakeEmbedder(model_id="new"))
    finish(indexer)

    indexer.forget_other_models()

    assert RuleEmbedding.objects.get().model_id == "new"


def test_vectors_of_another_length_are_replaced(make_indexer, data_folder):
    make_rule()
    finish(make_indexer(FakeEmbedder(dimensions=32)))
    indexer = make_indexer(FakeEmbedder(dimensions=64))

    assert len(indexer.matrix) == 0
    assert finish(indexer) == 1
    assert RuleEmbedding.objects.get().dimensions == 64


@pytest.mark.parametrize("vector", [b"", b"abc", b"\0\0\xc0\x7f" * 64], ids=["empty", "cut", "NaN"])
def test_a_damaged_row_counts_as_missing(make_indexer, data_folder, vector):
    make_rule()
    finish(make_indexer())
    RuleEmbedding.objects.update(vector=vector)

    assert finish(make_indexer()) == 1


def test_a_rule_that_goes_while_it_is_encoded_leaves_nothing(make_indexer, data_folder):
    rule, other = make_rule(), make_rule()
    indexer = make_indexer()
    indexer.plan()

    Rule.objects.filter(pk=rule.pk).delete()
    indexer.step()

    assert RuleEmbedding.objects.get().rule == other
    assert len(indexer.matrix) == 1


def test_a_rule_takes_its_vectors_along(make_indexer, data_folder):
    make_rule()
    finish(make_indexer())

    Rule.objects.all().delete()

    assert not RuleEmbedding.objects.exists()


def test_a_batch_is_kept_before_the_next_one_is_encoded(make_indexer, data_folder):
    for number in range(FIRST_BATCH + 1):
        make_rule(trigger=f"When number {number}")
    indexer = make_indexer()
    indexer.plan()

    indexer.step()

    assert RuleEmbedding.objects.count() == len(indexer.matrix) == FIRST_BATCH
    assert len(indexer.todo) == 1


class FailingEmbedder(FakeEmbedder):
    """Gives these instead of vectors."""

    def __init__(self, vectors):
        super().__init__()
        self._vectors = vectors

    def encode_document(self, texts):
        if isinstance(self._vectors, Exception):
            raise self._vectors
        return self._vectors


@pytest.mark.parametrize(
    "vectors",
    [
        pytest.param(EmbedderUnavailable("The endpoint failed."), id="endpoint fails"),
        pytest.param(np.full((1, 64), np.nan, np.float32), id="NaN"),
        pytest.param(np.zeros((1, 32), np.float32), id="other length"),
        pytest.param(np.zeros((2, 64), np.float32), id="one too many"),
    ],
)
def test_what_gives_no_vectors_leaves_the_rule_to_be_done(make_indexer, data_folder, vectors):
    make_rule()
    indexer = make_indexer(FailingEmbedder(vectors))
    indexer.plan()

    with pytest.raises(EmbedderUnavailable, match=r"\.$"):
        indexer.step()

    assert len(indexer.todo) == 1
    assert not RuleEmbedding.objects.exists()


def test_starting_over_encodes_everything_while_the_old_vectors_serve(make_indexer, data_folder):
    make_rule()
    make_rule()
    indexer = make_indexer()
    finish(indexer)

    indexer.start_over()

    assert len(indexer.matrix) == 2
    assert finish(indexer) == 2
    assert RuleEmbedding.objects.count() == 2
