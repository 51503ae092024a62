"""A search with the embed server's answer: what meaning adds to words, and where it has no say."""

import math
import random

import pytest

from retrieval.lexical.fusion import CONVEX, RRF
from retrieval.lexical.matching import MatchedPrompt
from retrieval.lexical.meaning import BEST_BY_WORDS, Blend
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import pack_delta
from retrieval.lexical.passages import cut_passages
from retrieval.lexical.results import DenseAnswer, Tier
from retrieval.lexical.search import search
from tests.retrieval.indexes import make_document, make_index, pack_plainly

PUSH = make_document("Force pushing to a shared branch", number=1)
FONT = make_document("Choosing a typeface", number=2)
OTHERS = [make_document(f"zorb{number} quux{number}", number=number) for number in range(10, 30)]
PROMPT = "which typeface"


def answer(*formal, shadow=(), floors=(0.2, 0.4), offset=0.3, languages=None) -> DenseAnswer:
    return DenseAnswer("m", formal=formal, shadow=shadow, floors=floors, offset=offset, languages=languages)


def find(prompt, *rules, dense, fusion=CONVEX, index=None, **options):
    index = index or make_index(*rules, *OTHERS, floor=3.0)
    blend = None if dense is None else Blend(dense, order=fusion)
    hits = search(prompt, index=index, project_id=options.pop("project_id", ""), blend=blend, **options)
    return {hit.document.rule_id: hit for hit in hits.formal}


def test_a_rule_that_is_near_enough_alone_is_warm_without_a_word():
    hits = find("高铁票", PUSH, dense=answer((PUSH.rule_id, 0.71)))

    assert hits[PUSH.rule_id].tier == Tier.WARM
    assert hits[PUSH.rule_id].meaning.cosine == 0.71


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(lambda numbers: numbers[FONT.rule_id], id="another rule's"),
        pytest.param(lambda numbers: -len(numbers), id="below 0"),
        pytest.param(lambda numbers: len(numbers), id="past the end"),
        pytest.param(lambda numbers: 10**30, id="far past the end"),
    ],
)
def test_a_number_that_came_with_an_answer_counts_only_where_it_is_that_rules(told):
    index = make_index(PUSH, FONT, *OTHERS, floor=3.0)
    numbers = {document.rule_id: place for place, document in enumerate(index.documents())}

    def nearest(content_id, number):
        near = DenseAnswer(
            "m",
            formal=[(PUSH.rule_id, 0.71)],
            shadow=(),
            floors=(0.2, 0.4),
            offset=0.3,
            languages=None,
            numbers={PUSH.rule_id: number},
            content_id=content_id,
        )
        return set(find("高铁票", index=index, dense=near))

    assert nearest(index.content_id, numbers[PUSH.rule_id]) == {PUSH.rule_id}
    assert nearest(index.content_id, told(numbers)) == set()
    assert nearest("another", told(numbers)) == {PUSH.rule_id}


def test_a_rule_of_another_project_is_not_shown_whatever_the_answer_says():
    theirs = make_document("Choosing a typeface", number=2, scope="project", project_id="theirs")
    index = make_index(PUSH, theirs, *OTHERS, floor=3.0)
    dense = answer((theirs.rule_id, 0.9), shadow=[(PUSH.rule_id, 0.9)])

    def pools(project_id):
        hits = search("高铁票", index=index, project_id=project_id, blend=Blend(dense))
        return [hit.document.rule_id for hit in hits.formal], [hit.document.rule_id for hit in hits.shadow]

    assert pools("mine") == ([], [])
    assert pools("theirs") == ([theirs.rule_id], [])


def test_a_rule_that_is_only_near_and_shares_no_word_is_not_shown():
    assert find("高铁票", PUSH, dense=answer((PUSH.rule_id, 0.69))) == {}


def test_words_under_their_floor_are_enough_with_a_meaning_that_is_near():
    assert FONT.rule_id not in find(PROMPT, FONT, dense=None)

    hits = find(PROMPT, FONT, dense=answer((FONT.rule_id, 0.68)))

    assert hits[FONT.rule_id].tier == Tier.WARM
    assert hits[FONT.rule_id].meaning.fused >= 1


def test_words_over_their_floor_are_not_enough_when_the_meaning_is_far_off():
    prompt = "force a branch"
    index = make_index(PUSH, *OTHERS, floor=1.5)

    assert PUSH.rule_id in find(prompt, index=index, dense=None)
    assert find(prompt, index=index, dense=answer((PUSH.rule_id, -0.9)), floor=0.0)[PUSH.rule_id].tier == Tier.COLD


def test_a_trigger_typed_word_for_word_stays_hot():
    hits = find(PUSH.trigger, PUSH, dense=answer((PUSH.rule_id, 0.95), (OTHERS[0].rule_id, 0.3)))

    assert hits[PUSH.rule_id].tier == Tier.HOT


def test_meaning_alone_never_makes_a_rule_hot():
    hits = find("高铁票", PUSH, dense=answer((PUSH.rule_id, 1.0)))

    assert hits[PUSH.rule_id].tier == Tier.WARM


def test_a_rule_without_a_vector_is_matched_by_its_words():
    prompt, index = "force pushing a branch", make_index(PUSH, *OTHERS, floor=1.5)

    by_words = find(prompt, index=index, dense=None)[PUSH.rule_id]
    beside_others = find(prompt, index=index, dense=answer((OTHERS[0].rule_id, 0.3)))[PUSH.rule_id]

    assert by_words.tier == beside_others.tier != Tier.COLD
    assert beside_others.meaning.cosine is None
    assert beside_others.meaning.fused == pytest.approx(by_words.evidence / 1.5)


@pytest.mark.parametrize(
    ("prompt", "dense"),
    [
        pytest.param("高铁票", answer((PUSH.rule_id, 0.9), languages=frozenset({"en"})), id="unknown language"),
        pytest.param(" ".join(f"word{number}" for number in range(60)), answer((PUSH.rule_id, 0.9)), id="a long paste"),
        pytest.param("高铁票", answer((PUSH.rule_id, 0.9), floors=(math.inf, math.inf)), id="no floors yet"),
        pytest.param("高铁票", answer((PUSH.rule_id, 0.9), floors=(0.0, 0.0)), id="floors of nothing"),
    ],
)
def test_words_alone_decide_where_meaning_says_nothing(prompt, dense):
    assert find(prompt, PUSH, dense=dense) == {}


def test_the_order_is_the_one_that_the_setting_names():
    first, second = (make_document(f"alpha beta {word}", number=number) for number, word in ((1, "gamma"), (2, "zeta")))
    dense = answer((second.rule_id, 0.9), (OTHERS[0].rule_id, 0.85), (first.rule_id, 0.2))
    prompt = "alpha beta gamma gamma"

    by_order = {
        order: list(find(prompt, first, second, dense=dense, fusion=order, floor=0.0)) for order in (CONVEX, RRF)
    }

    assert by_order[CONVEX][0] == second.rule_id
    assert {
        hit.meaning.rrf > 0 for hit in find(prompt, first, second, dense=dense, fusion=RRF, floor=0.0).values()
    } == {True}


def test_a_rule_that_the_index_no_longer_holds_is_passed_over():
    assert find("高铁票", PUSH, dense=answer(("gone", 0.99))) == {}


def test_a_rule_that_was_edited_since_is_found_in_its_new_form():
    base = pack_plainly(PUSH, *OTHERS, floor=3.0)
    edited = make_document("Force pushing anywhere", number=1)
    delta = pack_delta([edited], base=Index.from_bytes(base), removed=frozenset(), change_counter=2)

    hits = find("高铁票", index=Index.from_bytes(base, delta), dense=answer((PUSH.rule_id, 0.9)))

    assert hits[PUSH.rule_id].document.trigger == "Force pushing anywhere"


def test_the_shadow_pool_is_fused_by_itself():
    theirs = make_document("Restoring a backup", number=3, scope="project", project_id="other")
    index = make_index(PUSH, theirs, *OTHERS, floor=3.0)
    dense = answer((PUSH.rule_id, 0.31), shadow=((theirs.rule_id, 0.9),))

    hits = search("高铁票", index=index, project_id="mine", blend=Blend(dense))

    assert [hit.document.rule_id for hit in hits.shadow] == [theirs.rule_id]
    assert hits.formal == ()


def test_a_listing_shows_near_rules_with_the_reason_why_they_are_cold():
    hits = find("高铁票", PUSH, dense=answer((PUSH.rule_id, 0.5)), floor=0.0)

    assert hits[PUSH.rule_id].tier == Tier.COLD
    assert "of the floor" in hits[PUSH.rule_id].reason


WORDS = [f"word{letter}" for letter in "abcdefghijkl"]
RANDOM_WORDS = [f"w{number}" for number in range(BEST_BY_WORDS + 20)]


@pytest.mark.parametrize("seed", range(12))
def test_a_listing_and_a_hook_agree_on_what_passes_and_in_which_order(seed):
    """The listing looks at every rule, the hook leaves out those that cannot pass."""
    chance = random.Random(seed)  # noqa: S311  no secret
    rules = [make_document(" ".join(chance.sample(WORDS, 4)), number=number) for number in range(400)]
    index = make_index(*rules, floor=chance.uniform(0.5, 2.0))
    near = sorted(((rule.rule_id, chance.uniform(0.2, 0.9)) for rule in rules), key=lambda pair: -pair[1])
    dense = answer(*near[: chance.choice([20, 50])])
    prompt = " ".join(chance.sample(WORDS, 6))

    by_hook = find(prompt, index=index, dense=dense)
    listed = find(prompt, index=index, dense=dense, floor=0.0)

    assert [rule_id for rule_id, hit in by_hook.items() if hit.tier != Tier.COLD] == [
        rule_id for rule_id, hit in listed.items() if hit.tier != Tier.COLD
    ]
    assert any(hit.tier != Tier.COLD for hit in by_hook.values())


def test_a_near_rule_brings_the_words_that_it_shares_however_few():
    rule = make_document("alpha beta gamma delta", number=1)
    index = make_index(rule, *OTHERS, floor=50.0)

    (hit,) = find("alpha", index=index, dense=answer((rule.rule_id, 0.75))).values()

    assert 0 < hit.evidence < 0.25 * 50
    assert hit.meaning.fused > 1


def test_of_very_many_matches_by_words_only_the_best_and_those_that_are_near_count():
    """Rules alike in their words, more than are looked at: of the rest, one that is near is looked at all the same."""
    rules = [make_document(f"alpha beta gamma {word * 3}", number=n) for n, word in enumerate(RANDOM_WORDS, start=1)]
    index = make_index(*rules, floor=0.1)
    matched = MatchedPrompt(cut_passages("alpha beta gamma"), index)
    last = rules[-1].rule_id
    overlay = Blend(answer((last, 0.9))).over(matched, "alpha beta gamma", floor=0.1, is_listing=False)

    assert overlay is not None
    fused = overlay.fuse(matched.rank(0.1), overlay.dense.formal, belongs=lambda number: number >= 0)

    assert len(rules) > BEST_BY_WORDS + 1
    assert len(fused) == BEST_BY_WORDS + 1
    assert last in {index.rule_id(match.number) for match in fused}
