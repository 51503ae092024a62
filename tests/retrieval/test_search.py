"""search(): tiers, pools and silence, on small indexes made on the spot."""

from __future__ import annotations

import pytest

from nokori_site.benchmark.varied_rules import varied_rules
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import pack_delta
from retrieval.lexical.results import Document, Tier
from retrieval.lexical.search import search
from tests.retrieval.indexes import (
    FORCE_PUSH,
    LOCKFILE,
    make_calibrated_index,
    make_document,
    make_index,
    shown,
    tiers,
)

PROMPT = "edit the lockfile by hand"
HERE, ELSEWHERE = "shop-11111111", "blog-22222222"


def lockfile_rule(**changes) -> Document:
    return make_document("Editing the lockfile by hand", **changes)


def other_rules(count: int) -> list[Document]:
    return [
        make_document(
            rule.trigger,
            number=number + 1_000,
            variants=tuple(rule.variants),
            action=rule.action,
            terms=tuple(term for terms in rule.search_terms.values() for term in terms),
        )
        for number, rule in enumerate(varied_rules(count))
    ]


@pytest.fixture(scope="module")
def crowd() -> Index:
    """The rule of the quick start among 200 others, calibrated."""
    return make_calibrated_index([FORCE_PUSH, LOCKFILE, *other_rules(200)])


def test_the_quick_start_prompt_is_hot_though_its_rule_is_the_only_one():
    index = make_calibrated_index([FORCE_PUSH])

    hits = search("I'll just git push --force this branch", index=index, project_id="")

    assert tiers(hits.formal) == [("rule-1", Tier.HOT)]
    assert hits.formal[0].words == ("git", "push", "force", "branch")


@pytest.mark.parametrize("prompt", ["我要强推这个分支", "强推吧", "能不能直接强推到远程", "会不会覆盖代码"])
def test_a_chinese_search_term_finds_the_rule(prompt):
    assert [rule for rule, _ in shown(prompt, make_calibrated_index([FORCE_PUSH]))] == ["rule-1"]


@pytest.mark.parametrize("prompt", ["continue", "thanks", "好的", "why does this test fail", "git status"])
def test_an_everyday_prompt_injects_nothing(prompt, crowd):
    assert shown(prompt, crowd) == []


def test_each_trigger_typed_word_for_word_is_hot_among_the_others(crowd):
    triggers = [(document.rule_id, document.trigger) for document in crowd.documents()]

    cold = [trigger for rule_id, trigger in triggers if (rule_id, Tier.HOT) not in shown(trigger, crowd)]

    assert cold == []


def test_the_chinese_twins_are_searched_too():
    rule = make_document("Running migrations", trigger_zh="在生产环境直接执行迁移", action_zh="先备份数据库")

    assert shown("在生产环境执行迁移", make_index(rule)) == [("rule-0001", Tier.HOT)]


def test_a_rule_in_a_script_that_no_other_text_is_in_is_found():
    korean = make_document("공유 브랜치에 강제 푸시하기", number=7)
    base = make_calibrated_index([FORCE_PUSH])
    added = pack_delta([korean], base=base, removed=frozenset(), change_counter=2)

    for index in (make_calibrated_index([FORCE_PUSH, korean]), Index(base.base, Index.from_bytes(added).base)):
        assert shown("공유 브랜치에 강제 푸시해 줘", index) == [("rule-0007", Tier.HOT)]


def test_a_rule_of_another_project_is_only_counted():
    index = make_index(lockfile_rule(scope="project", project_id=ELSEWHERE))

    hits = search(PROMPT, index=index, project_id=HERE)

    assert (tiers(hits.formal), tiers(hits.shadow)) == ([], [("rule-0001", Tier.HOT)])


@pytest.mark.parametrize(
    ("changes", "project_id", "pools"),
    [
        ({}, "", "formal"),
        ({}, HERE, "formal"),
        ({"status": "dormant"}, HERE, "formal"),
        ({"status": "candidate"}, HERE, "none"),
        ({"scope": "project", "project_id": HERE}, HERE, "formal"),
        ({"scope": "project", "project_id": HERE, "status": "candidate"}, HERE, "none"),
        ({"scope": "project", "project_id": HERE}, "", "none"),
        ({"scope": "project", "project_id": ""}, "", "none"),
        ({"scope": "project", "project_id": ELSEWHERE}, HERE, "shadow"),
        ({"scope": "project", "project_id": ELSEWHERE, "status": "candidate"}, HERE, "shadow"),
        ({"scope": "project", "project_id": ELSEWHERE, "status": "dormant"}, HERE, "none"),
        ({"scope": "project", "project_id": ELSEWHERE, "confidence": "medium"}, HERE, "none"),
        ({"scope": "project", "project_id": ELSEWHERE, "source_type": "preference"}, HERE, "none"),
        ({"scope": "project", "project_id": ELSEWHERE, "source_type": "solution"}, HERE, "shadow"),
    ],
)
def test_status_scope_and_project_decide_the_pool(changes, project_id, pools):
    hits = search(PROMPT, index=make_index(lockfile_rule(**changes)), project_id=project_id)

    assert (bool(hits.formal), bool(hits.shadow)) == (pools == "formal", pools == "shadow")


def test_other_projects_rules_never_push_out_your_own():
    others = [lockfile_rule(number=number, scope="project", project_id=ELSEWHERE) for number in range(2, 9)]

    hits = search(PROMPT, index=make_index(lockfile_rule(), *others), project_id=HERE)

    assert tiers(hits.formal) == [("rule-0001", Tier.HOT)]
    assert len(tiers(hits.shadow)) == 5


def test_a_dormant_rule_wakes_up_instead_of_being_hot():
    hits = search(PROMPT, index=make_index(lockfile_rule(status="dormant")), project_id="")

    assert tiers(hits.formal) == [("rule-0001", Tier.WARM)]
    assert hits.formal[0].reactivates


def test_a_hidden_rule_is_silent_and_says_so():
    index = make_index(lockfile_rule(short_id="abc123"))

    hits = search(PROMPT, index=index, project_id="", hidden=frozenset({"abc123"}))

    assert tiers(hits.formal) == []
    assert "dismissed" in hits.formal[0].reason


def test_an_excluded_phrase_silences_the_rule_wherever_it_stands():
    index = make_index(lockfile_rule(excludes=("lockfile merge conflict",)))
    paste = "\n".join(
        ["Lockfile merge conflicts again", *(f"line{number} of some log" for number in range(40)), PROMPT]
    )

    assert tiers(search(PROMPT, index=index, project_id="").formal) == [("rule-0001", Tier.HOT)]
    assert tiers(search(paste, index=index, project_id="").formal) == []
    assert "lockfile merge conflict" in search(paste, index=index, project_id="").formal[0].reason


def test_when_the_best_is_silent_the_next_takes_its_place():
    silent = lockfile_rule(excludes=("by hand",))
    next_best = make_document("Editing the lockfile", number=2)

    assert shown(PROMPT, make_index(silent, next_best)) == [("rule-0002", Tier.HOT)]


def test_one_common_word_is_no_evidence():
    index = make_index(lockfile_rule(), floor=0.1)

    assert shown("what is a lockfile", index) == []


def test_one_word_is_enough_when_it_is_a_whole_variant():
    index = make_index(lockfile_rule(variants=("lockfile",)), floor=0.1)

    assert [rule for rule, _ in shown("what is a lockfile", index)] == ["rule-0001"]


def test_a_trigger_with_one_word_that_says_something_is_hot_when_it_is_typed():
    index = make_calibrated_index([make_document("Using any in TypeScript"), LOCKFILE])

    assert shown("using any in typescript", index) == [("rule-0001", Tier.HOT)]
    assert shown("is this typescript", index) == []


def test_a_listing_shows_what_is_cold_and_why():
    index = make_index(FORCE_PUSH, LOCKFILE, floor=50.0)

    hits = search("push the lockfile by hand to a branch", index=index, project_id="", floor=0.0)

    assert {hit.document.rule_id for hit in hits.formal} == {"rule-1", "rule-2"}
    assert all(hit.tier == Tier.COLD and "under the floor" in hit.reason for hit in hits.formal)


def test_a_listing_changes_no_tier(crowd):
    for prompt in ("git push --force", PROMPT, "docker push to the release branch"):
        listed = search(prompt, index=crowd, project_id="", floor=0.0)

        assert tiers(listed.formal) == shown(prompt, crowd)


def test_a_trigger_on_a_line_of_a_long_paste_is_found():
    log = [f"10:0{number % 10} worker{number} finished job{number * 7} of queue{number}" for number in range(300)]
    index = make_calibrated_index([FORCE_PUSH, LOCKFILE])

    hits = search("\n".join([*log[:150], LOCKFILE.trigger, *log[150:]]), index=index, project_id="")

    assert hits.is_long
    assert tiers(hits.formal) == [("rule-2", Tier.HOT)]


def test_rules_of_base_and_delta_are_ranked_together():
    base = make_index(FORCE_PUSH)
    data = pack_delta([LOCKFILE], base=base, removed=frozenset(), change_counter=2)
    index = Index(base.base, Index.from_bytes(data).base)

    hits = search("force push the lockfile edit by hand to a branch", index=index, project_id="", floor=0.0)

    assert {hit.document.rule_id for hit in hits.formal} == {"rule-1", "rule-2"}


@pytest.mark.parametrize(
    "prompt", ["", "   ", "\0\0", "\ud800\udfff", "!!!", "a" * 300_000, "\n" * 5_000, "的" * 3_000]
)
def test_any_prompt_is_answered(prompt, crowd):
    hits = search(prompt, index=crowd, project_id="")

    assert tiers(hits.formal) == []
