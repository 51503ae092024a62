"""Where the published index places each rule, as its files change."""

import pytest

from retrieval.embeddings.pools import Place, PublishedPools
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import Background, pack, pack_delta
from retrieval.lexical.results import Document, Floors
from retrieval.lexical.segment import FORMAL, GLOBAL


def document(name, **changes):
    return Document(rule_id=name, short_id=name, trigger="when", action="do", **changes)


@pytest.fixture
def publish(tmp_path):
    def write(*documents):
        floors = Floors(short=1, long=1, rule_count=len(documents))
        data = pack(documents, background=Background(), floors=floors, change_counter=1)
        (tmp_path / "rules.idx").write_bytes(data)

    return write


@pytest.fixture
def pools(tmp_path):
    return PublishedPools(str(tmp_path))


def test_each_rule_has_its_pools_and_its_project(publish, pools):
    publish(document("a"), document("b", scope="project", project_id="shop"))

    assert pools.look()

    assert pools.places["a"] == Place(FORMAL | GLOBAL)
    place = pools.places["b"]
    assert (place.bits & FORMAL, place.bits & GLOBAL, place.project_id) == (FORMAL, 0, "shop")


def test_it_counts_what_a_project_is_matched_with(publish, pools):
    theirs = [document(f"theirs {number}", scope="project", project_id="blog") for number in range(3)]
    publish(document("everywhere"), document("mine", scope="project", project_id="shop"), *theirs)
    pools.look()

    with Index.open(pools.folder) as index:
        for project_id in ("", "shop", "blog", "new"):
            visible = pools.count_visible(project_id)
            assert index.has_visible(visible, project_id=project_id)
            assert not index.has_visible(visible + 1, project_id=project_id)
    assert (pools.count_visible(""), pools.count_visible("shop")) == (1, 5)

    publish(document("everywhere"))
    pools.look()

    assert pools.count_visible("shop") == 1


def test_files_that_did_not_change_are_not_read_again(publish, pools):
    publish(document("a"))
    pools.look()

    assert not pools.look()


def test_a_delta_replaces_adds_and_removes(publish, pools, tmp_path):
    publish(document("a"), document("b"), document("c"))
    pools.look()
    with Index.open(str(tmp_path)) as base:
        changed = [document("b", scope="project", project_id="shop"), document("d")]
        delta = pack_delta(changed, base=base, removed=frozenset({"c"}), change_counter=2)
    (tmp_path / "rules.delta").write_bytes(delta)

    assert pools.look()

    assert set(pools.places) == {"a", "b", "d"}
    assert pools.places["b"].project_id == "shop"
    with Index.open(str(tmp_path)) as index:
        assert pools.content_id == index.content_id
        assert {rule_id: index.find_rule(rule_id) for rule_id in "abd"} == {
            rule_id: place.number for rule_id, place in pools.places.items()
        }


@pytest.mark.parametrize("content", [None, b"", b"nothing of ours" * 99], ids=["missing", "empty", "foreign"])
def test_an_index_that_cannot_be_read_leaves_what_was_there(publish, pools, tmp_path, content):
    publish(document("a"))
    pools.look()
    (tmp_path / "rules.idx").unlink()
    if content is not None:
        (tmp_path / "rules.idx").write_bytes(content)

    assert not pools.look()

    assert set(pools.places) == {"a"}


def test_it_is_read_once_it_is_whole_again(publish, pools, tmp_path):
    (tmp_path / "rules.idx").write_bytes(b"half")
    pools.look()

    publish(document("a"))

    assert pools.look()
    assert set(pools.places) == {"a"}
