import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.llm_errors import LlmReplyUnreadable
from extraction.replies import RelationsReply, RulesReply, read_reply

RULES = '{"rules": [{"trigger": "t", "action": "use `pnpm` instead of `npm`"}]}'


def actions(text):
    return [rule.action for rule in read_reply(text, RulesReply).rules]


@pytest.mark.parametrize(
    "text",
    [
        RULES,
        f"```json\n{RULES}\n```",
        f"```\n{RULES}\n```",
        f"```json\n{RULES}\n```\nThat is all {{x}} I found.",
        f"about {{x}}: {RULES} thanks {{y}}",
        f"<think>{{not json}} [] {{\"rules\": []}}</think>{RULES}",
        f"<thinking>\n{RULES.replace('pnpm', 'yarn')}\n</thinking>\n{RULES}",
        f'{{"thought": "hm"}}\n{RULES}\n{{"rules": []}}',
        json.dumps(json.loads(RULES)["rules"]),
        "The rules:\n" + json.dumps(json.loads(RULES)["rules"]),
        f"\ufeff{RULES}",
    ],
    ids=["plain", "fenced", "bare fence", "nb094 prose after fence", "nb093 braces in prose", "nb095 think", "thinking", "several objects",
         "bare list", "list in prose", "bom"],
)  # fmt: skip
def test_the_answer_is_found_and_backticks_in_it_survive(text):
    assert actions(text) == ["use `pnpm` instead of `npm`"]


@pytest.mark.parametrize(
    "text", ['{"rules": []}', "[]", "```json\n[]\n```", '{"rules": [], "note": "nothing lasting"}']
)
def test_no_rules_is_an_answer(text):
    assert actions(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I found nothing.",
        "null",
        '"rules"',
        "0",
        "an empty array [] is what you get from [1]",
        RULES[:-2],
        '{"rules": [{"trigger": "t", "action": "a"}, {"trigger": "half',
        '{"rules": ["use pnpm"]}',
        '{"rules": {"trigger": "t"}}',
        '{"rule": []}',
        "[" * 100_000,
        "{" * 100_000,
    ],
    ids=["empty", "prose", "null", "string", "number", "brackets in prose", "cut at the end", "truncated", "list of words", "no list", "wrong name",
         "deep list", "many braces"],
)  # fmt: skip
def test_anything_else_is_unreadable(text):
    with pytest.raises(LlmReplyUnreadable):
        read_reply(text, RulesReply)


def test_loose_types_are_taken_for_what_they_mean():
    [rule] = read_reply(
        '{"rules": [{"trigger": " t ", "action": null, "variants": "one", "search_terms": ["x"], "confidence": 3}]}',
        RulesReply,
    ).rules

    assert (rule.trigger, rule.action, rule.variants, rule.search_terms, rule.confidence) == (
        "t",
        "",
        ["one"],
        {"en": ["x"], "zh": []},
        "",
    )


@pytest.mark.parametrize(
    ("word", "letter"), [("A", "A"), ("b", "B"), ("SAME", "A"), ("contradicts", "D"), ("UNRELATED", "E")]
)
def test_a_judgment_may_be_a_letter_or_its_word(word, letter):
    [relation] = read_reply(json.dumps([{"existing_id": "a3f2b1", "judgment": word}]), RelationsReply).relationships

    assert relation.judgment == letter


def test_relationships_must_say_of_what():
    with pytest.raises(LlmReplyUnreadable):
        read_reply('{"relationships": null}', RelationsReply)


@given(st.text())
def test_no_text_breaks_it(text):
    with suppress(LlmReplyUnreadable):
        assert isinstance(read_reply(text, RulesReply), RulesReply)
