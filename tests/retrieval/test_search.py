"""search(): tiers, pools and silence, on small indexes made on the spot."""

from __future__ import annotations

from retrieval.lexical.packed import Index
from retrieval.lexical.packing import Background, pack, pack_delta
from retrieval.lexical.results import Document, Floors, Tier
from retrieval.lexical.search import search

FORCE_PUSH = Document(
    rule_id="rule-1",
    short_id="a1b2c3",
    trigger="Force pushing to a shared branch",
    variants=("git push --force", "git push -f"),
    terms=("强推", "覆盖代码"),
    action="Use --force-with-lease, or push to a new branch",
)
LOCKFILE = Document(
    rule_id="rule-2",
    short_id="d4e5f6",
    trigger="Editing the lockfile by hand",
    action="Change package.json and run the package manager",
)


def make_index(*rules: Document, floor: float = 0.5) -> Index:
    floors = Floors(short=floor, long=floor, rule_count=len(rules))
    return Index.from_bytes(pack(rules, background=Background(), floors=floors, change_counter=1))


def test_a_typed_variant_is_hot_though_it_is_the_only_rule():
    index = make_index(FORCE_PUSH)

    hits = search("I'll just git push --force this branch", index=index, project_id="")

    assert [(hit.document.short_id, hit.tier) for hit in hits.formal] == [("a1b2c3", Tier.HOT)]
    assert hits.formal[0].words == ("git", "push", "force", "branch")


def test_a_delta_replaces_and_removes_rules_of_its_base():
    base = make_index(FORCE_PUSH)
    edited = Document(rule_id="rule-1", short_id="a1b2c3", trigger="Deploying on a Friday evening", action="Wait")
    data = pack([FORCE_PUSH, LOCKFILE], background=Background(), floors=base.floors, change_counter=1)
    delta = pack_delta([edited], base=Index.from_bytes(data), removed=frozenset({"rule-2"}), change_counter=2)

    index = Index.from_bytes(data, delta)

    assert (index.rule_count, index.change_counter) == (1, 2)
    assert search("git push --force this branch", index=index, project_id="").formal == ()
    assert search("editing the lockfile by hand", index=index, project_id="").formal == ()
    assert search("deploying on friday evening", index=index, project_id="").formal[0].document.rule_id == "rule-1"
