"""packed and packing: what was put in comes out, through a base and a delta."""

from __future__ import annotations

import pytest

from retrieval.lexical.packed import BASE_FILE, DELTA_FILE, Index
from retrieval.lexical.packing import Background, pack, pack_delta, with_floors
from retrieval.lexical.results import Document, Floors
from retrieval.lexical.search import search
from retrieval.lexical.segment import IndexUnreadable
from tests.retrieval.indexes import FORCE_PUSH, LOCKFILE, make_document, make_index, pack_plainly, shown

EVERYTHING = Document(
    rule_id="rule-9",
    short_id="0f0f0f",
    trigger="Running migrations\nagainst production",
    action="Ask first",
    status="dormant",
    source_type="preference",
    confidence="low",
    scope="project",
    project_id="shop-1a2b3c4d",
    rationale="an outage",
    trigger_zh="在生产环境执行迁移",
    action_zh="先问",
    rationale_zh="故障",
    variants=("alembic upgrade", "manage.py migrate"),
    terms=("migration", "迁移"),
    excludes=("staging",),
    tool_pattern=r"(alembic|migrate)\b",
)


def published(tmp_path, base: bytes, delta: bytes | None = None) -> str:
    (tmp_path / BASE_FILE).write_bytes(base)
    if delta is not None:
        (tmp_path / DELTA_FILE).write_bytes(delta)
    return str(tmp_path)


def values_of(document: Document) -> dict[str, object]:
    return {name: getattr(document, name) for name in Document.__slots__}


def test_every_field_of_a_rule_is_kept():
    index = make_index(LOCKFILE, EVERYTHING, FORCE_PUSH)

    assert values_of(index.document(1)) == values_of(EVERYTHING)


def test_separators_and_broken_characters_in_a_text_do_no_harm():
    index = make_index(make_document("one\0two\x1fthree \ud800", variants=("a\x1fb",)))

    document = index.document(0)

    assert (document.trigger, document.variants) == ("one two three ?", ("a b",))


def test_the_same_rules_make_the_same_file():
    assert pack_plainly(FORCE_PUSH, LOCKFILE) == pack_plainly(FORCE_PUSH, LOCKFILE)


def test_the_index_is_read_from_its_folder(tmp_path):
    folder = published(tmp_path, pack_plainly(FORCE_PUSH, floor=0.7, change_counter=12))

    with Index.open(folder) as index:
        assert (index.rule_count, index.change_counter, index.calibrated_rule_count) == (1, 12, 1)
        assert (index.floors.short, index.floors.long) == (0.7, 0.7)


def test_an_index_without_rules_finds_nothing():
    index = make_index()

    assert index.rule_count == 0
    assert search("git push --force", index=index, project_id="").formal == ()


def test_floors_are_set_afterwards_and_the_base_stays_the_same():
    base = pack_plainly(FORCE_PUSH)

    changed = Index.from_bytes(with_floors(base, Floors(short=2.0, long=3.0, rule_count=7)))

    assert (changed.floors.short, changed.floors.long, changed.calibrated_rule_count) == (2.0, 3.0, 7)
    assert changed.base_id == Index.from_bytes(base).base_id
    assert changed.is_intact()


def test_a_rule_is_found_by_its_id():
    rules = [make_document("Trigger", number=number) for number in range(20)]
    base = make_index(*reversed(rules)).base

    assert [base.find_rule(rule.rule_id) for rule in rules] == list(range(19, -1, -1))
    assert base.find_rule("rule-9999") is None


@pytest.mark.parametrize("term", ["a", "zz", "inst", "installationsordner", "强推", ""])
def test_a_term_that_no_rule_holds_is_not_found(term):
    assert make_index(make_document("installation installations")).base.find_term(term) is None


def test_terms_that_share_eight_bytes_are_told_apart():
    words = ["configurable", "configuration1", "configuration2", "configured", "configur", "configurations"]
    base = make_index(make_document(" ".join(words))).base

    numbers = [base.find_term(term) for term in ("configuration1", "configuration2", "configur")]

    assert None not in numbers
    assert len(set(numbers)) == 3


def test_a_delta_replaces_and_removes_rules_of_its_base():
    data = pack_plainly(FORCE_PUSH, LOCKFILE)
    edited = make_document("Deploying on a Friday evening", rule_id="rule-1")
    delta = pack_delta([edited], base=Index.from_bytes(data), removed=frozenset({"rule-2"}), change_counter=2)

    index = Index.from_bytes(data, delta)

    assert (index.rule_count, index.change_counter) == (1, 2)
    assert index.delta_rule_ids == frozenset({"rule-1"})
    assert index.removed_rule_ids == frozenset({"rule-2"})
    assert shown("git push --force this branch", index) == []
    assert shown("editing the lockfile by hand", index) == []
    assert shown("deploying on friday evening", index)[0][0] == "rule-1"


def test_a_rule_in_a_delta_weighs_what_it_would_weigh_in_the_base():
    words = [make_document(f"editing file{number} by hand", number=number) for number in range(30)]
    added = make_document("editing the lockfile by hand", number=99)
    base = make_index(*words)
    together = make_index(*words, added)
    delta = pack_delta([added], base=base, removed=frozenset(), change_counter=2)
    apart = Index.from_bytes(pack_plainly(*words), delta)

    (one,) = search("edit the lockfile", index=together, project_id="", floor=2.0).formal
    (other,) = search("edit the lockfile", index=apart, project_id="", floor=2.0).formal

    assert one.document.rule_id == other.document.rule_id == "rule-0099"
    assert other.evidence == pytest.approx(one.evidence, rel=0.1)


def test_the_delta_of_another_base_is_ignored(tmp_path):
    delta = pack_delta([LOCKFILE], base=make_index(LOCKFILE), removed=frozenset(), change_counter=2)
    folder = published(tmp_path, pack_plainly(FORCE_PUSH), delta)

    with Index.open(folder) as index:
        assert (index.rule_count, index.delta) == (1, None)


def test_a_background_term_is_known_but_finds_no_rule():
    background = Background(["please deploy the thing"])
    data = pack([FORCE_PUSH], background=background, floors=Floors(short=0, long=0), change_counter=1)

    index = Index.from_bytes(data)

    assert index.base.idf("deploy") > 0
    assert search("deploy", index=index, project_id="", floor=0.0).formal == ()


def test_what_every_prompt_says_weighs_less():
    quiet = Background(["something else"] * 200)
    loud = Background(["git push again"] * 200)
    floors = Floors(short=0, long=0)

    rare, common = (
        Index.from_bytes(pack([FORCE_PUSH], background=background, floors=floors, change_counter=1)).base.idf("push")
        for background in (quiet, loud)
    )

    assert rare > 10 * common


def test_without_files_there_is_no_index(tmp_path):
    with pytest.raises(IndexUnreadable, match="no published index"):
        Index.open(str(tmp_path))


def test_closing_twice_is_allowed(tmp_path):
    index = Index.open(published(tmp_path, pack_plainly(FORCE_PUSH)))

    index.close()
    index.close()


def test_an_error_is_told_though_something_still_looks_into_the_index():
    looks = []

    def look_and_fail(index):
        with index:
            looks.append(index.base.term_text[:4])
            raise LookupError

    with pytest.raises(LookupError):
        look_and_fail(make_index(make_document("a plain rule")))
