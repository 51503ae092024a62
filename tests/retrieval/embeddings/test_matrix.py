"""The matrix of vectors: what is near a prompt in each pool, as vectors come, change and go."""

import stat
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from retrieval.embeddings.matrix import FIRST_CAPACITY, VectorMatrix
from retrieval.embeddings.pools import Place, PublishedPools
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import Background, pack
from retrieval.lexical.results import Document, Floors
from retrieval.lexical.segment import FORMAL, GLOBAL, SHADOW

EVERYWHERE = Place(FORMAL | GLOBAL)


def unit(*numbers):
    vectors = np.array([numbers], np.float32)
    return vectors / np.linalg.norm(vectors)


@pytest.fixture
def matrix(tmp_path):
    return VectorMatrix(str(tmp_path / "vectors" / "matrix"), dimensions=2)


def near(matrix, *numbers, project_id="", limit=50):
    (found,) = matrix.near(unit(*numbers), [project_id], limit=limit)
    return pairs(found)


class Pairs(NamedTuple):
    """What is near, without the numbers of the rules."""

    formal: list[tuple[str, float]]
    shadow: list[tuple[str, float]]


def pairs(near):
    return Pairs(*([(rule.rule_id, rule.cosine) for rule in pool] for pool in (near.formal, near.shadow)))


def test_the_nearest_rule_comes_first_with_its_cosine(matrix):
    matrix.put("east", unit(1, 0), fingerprint="a")
    matrix.put("north", unit(0, 1), fingerprint="b")
    matrix.place({"east": EVERYWHERE, "north": EVERYWHERE})

    found = near(matrix, 3, 4)

    assert found.formal == [("north", pytest.approx(0.8)), ("east", pytest.approx(0.6))]
    assert found.shadow == []


def test_of_the_chunks_of_a_rule_the_best_counts_and_the_rule_is_there_once(matrix):
    matrix.put("both", np.concatenate([unit(1, 0), unit(0, 1)]), fingerprint="a")
    matrix.place({"both": EVERYWHERE})

    assert near(matrix, 0, 1).formal == [("both", pytest.approx(1))]


def test_a_rule_that_is_not_published_is_in_neither_pool(matrix):
    matrix.put("draft", unit(1, 0), fingerprint="a")
    matrix.place({})

    assert near(matrix, 1, 0, project_id="shop") == ([], [])


def test_a_rule_that_is_published_after_it_was_encoded_is_found(matrix):
    matrix.put("new", unit(1, 0), fingerprint="a")

    matrix.place({"new": EVERYWHERE})

    assert near(matrix, 1, 0).formal == [("new", pytest.approx(1))]


def test_new_vectors_take_the_place_of_the_old_ones(matrix):
    matrix.place({"rule": EVERYWHERE})
    matrix.put("rule", np.concatenate([unit(1, 0), unit(1, 1)]), fingerprint="a")

    matrix.put("rule", unit(0, 1), fingerprint="b")

    assert near(matrix, 1, 0).formal == [("rule", pytest.approx(0))]
    assert (len(matrix), matrix.fingerprint_of("rule")) == (1, "b")


def test_what_is_dropped_is_never_found_again_and_its_place_is_used(matrix):
    matrix.place({"old": EVERYWHERE, "new": EVERYWHERE})
    matrix.put("old", unit(1, 0), fingerprint="a")

    matrix.drop("old")
    matrix.put("new", unit(0, 1), fingerprint="b")

    assert near(matrix, 1, 0).formal == [("new", pytest.approx(0))]
    assert (len(matrix), matrix.fingerprint_of("old")) == (1, "")


def test_rules_that_are_gone_from_the_base_are_dropped(matrix):
    matrix.put("gone", unit(1, 0), fingerprint="a")
    matrix.put("there", unit(0, 1), fingerprint="b")

    matrix.keep_only(frozenset({"there"}))

    assert (len(matrix), matrix.fingerprint_of("gone")) == (1, "")


def test_it_grows_and_keeps_what_it_has(matrix):
    count = 2 * FIRST_CAPACITY + 1
    matrix.place({str(number): EVERYWHERE for number in range(count)})
    expected = np.concatenate([unit(number, count - number) for number in range(count)])

    for number in range(count):
        matrix.put(str(number), expected[number : number + 1], fingerprint="a")

    assert np.array_equal(matrix.vectors(), expected)
    assert near(matrix, 1, 0, limit=1).formal == [(str(count - 1), pytest.approx(1))]


def test_no_more_rules_are_given_than_asked_for(matrix):
    matrix.place({str(number): EVERYWHERE for number in range(9)})
    for number in range(9):
        matrix.put(str(number), np.concatenate([unit(1, number), unit(1, -number)]), fingerprint="a")

    found = near(matrix, 1, 0, limit=3)

    assert [rule_id for rule_id, _ in found.formal] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "vectors",
    [
        pytest.param(np.array([[np.nan, 0]], np.float32), id="NaN"),
        pytest.param(np.array([[np.inf, 0]], np.float32), id="infinite"),
        pytest.param(np.array([[1, 0, 0]], np.float32), id="longer"),
        pytest.param(np.array([1, 0], np.float32), id="one row without a table"),
    ],
)
def test_what_is_no_vector_is_refused_and_the_old_one_stays(matrix, vectors):
    matrix.place({"rule": EVERYWHERE})
    matrix.put("rule", unit(1, 0), fingerprint="a")

    with pytest.raises(ValueError, match="no vectors of 2 numbers"):
        matrix.put("rule", vectors, fingerprint="b")

    assert near(matrix, 1, 0).formal == [("rule", pytest.approx(1))]
    assert matrix.fingerprint_of("rule") == "a"


def test_several_prompts_at_once_get_what_each_would_get_alone(matrix):
    places = {"all": EVERYWHERE, "shop": Place(FORMAL | SHADOW, "shop"), "blog": Place(FORMAL | SHADOW, "blog")}
    matrix.place(places)
    for number, rule_id in enumerate(places):
        matrix.put(rule_id, unit(1, number), fingerprint="a")

    together = matrix.near(np.concatenate([unit(1, 0), unit(0, 1)]), ["shop", ""], limit=50)

    assert [pairs(found) for found in together] == [near(matrix, 1, 0, project_id="shop"), near(matrix, 0, 1)]


def test_each_rule_comes_with_its_number_in_the_index_that_is_named(matrix):
    matrix.put("east", unit(1, 0), fingerprint="a")
    matrix.put("north", unit(0, 1), fingerprint="b")
    matrix.place({"east": Place(FORMAL | GLOBAL, number=7), "north": Place(FORMAL | GLOBAL, number=3)}, content_id="c0")

    (found,) = matrix.near(unit(1, 0), [""], limit=50)

    assert [rule.number for rule in found.formal] == [7, 3]
    assert found.content_id == "c0"


def test_the_file_is_for_the_user_alone(matrix, tmp_path):
    assert stat.S_IMODE(Path(tmp_path / "vectors" / "matrix").stat().st_mode) == 0o600


@pytest.mark.parametrize("project_id", ["", "shop", "blog", "never seen"])
def test_its_pools_are_those_of_a_search_in_the_published_index(tmp_path, project_id):
    documents = [
        Document(
            rule_id=f"{scope}-{project}-{status}-{kind}",
            short_id=f"{number:06x}",
            trigger="when",
            action="do",
            scope=scope,
            project_id=project,
            status=status,
            source_type=kind,
        )
        for number, (scope, project, status, kind) in enumerate(
            (scope, project, status, kind)
            for scope, project in (("global", ""), ("global", "shop"), ("project", "shop"), ("project", "blog"))
            for status in ("active", "dormant", "candidate")
            for kind in ("correction", "preference")
        )
    ]
    (tmp_path / "rules.idx").write_bytes(
        pack(documents, background=Background(), floors=Floors(short=1, long=1), change_counter=1)
    )
    matrix = VectorMatrix(str(tmp_path / "matrix"), dimensions=2)
    for document in documents:
        matrix.put(document.rule_id, unit(1, 0), fingerprint="a")
    pools = PublishedPools(str(tmp_path))
    pools.look()
    matrix.place(pools.places)

    found = near(matrix, 1, 0, project_id=project_id)

    with Index.open(str(tmp_path)) as index:
        pool = {index.document(n).rule_id: index.pool_of(n, project_id=project_id) for n in index.numbers()}
    assert {rule_id for rule_id, _ in found.formal} == {rule_id for rule_id, bits in pool.items() if bits == FORMAL}
    assert {rule_id for rule_id, _ in found.shadow} == {rule_id for rule_id, bits in pool.items() if bits == SHADOW}
