"""A model's answer as text in, checked values out.

Reads past reasoning tags, fences and prose: the first complete JSON value that has the wanted shape counts.
Raises LlmReplyUnreadable when there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError

from extraction.llm_errors import LlmReplyUnreadable

MAX_REPLY_CHARS = 400_000
MAX_STARTS = 2_000  # brackets at which a JSON value is tried
OPENING = re.compile(r"[{\[]")
THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
FENCED = re.compile(r"```(?:json|JSON)?[ \t]*\n(.*?)```", re.DOTALL)
JUDGMENTS = {"SAME": "A", "BROADER": "B", "NARROWER": "C", "CONTRADICTS": "D", "UNRELATED": "E"}
DECODER = json.JSONDecoder()


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in map(_text, values) if text]


def _terms(value: object) -> dict[str, list[str]]:
    named = value if isinstance(value, dict) else {"en": value}
    return {language: _texts(named.get(language)) for language in ("en", "zh")}


def _judgment(value: object) -> str:
    word = _text(value).upper()
    return JUDGMENTS.get(word, word)


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Terms = Annotated[dict[str, list[str]], BeforeValidator(_terms)]
Judgment = Annotated[str, BeforeValidator(_judgment)]


class RuleReply(BaseModel):
    """One rule as the model worded it: any text field may be empty, nothing is trusted yet."""

    quote: Text = ""
    trigger: Text = ""
    trigger_zh: Text = ""
    variants: Texts = []
    variants_zh: Texts = []
    search_terms: Terms = {}
    behavior: Text = ""
    behavior_zh: Text = ""
    action: Text = ""
    action_zh: Text = ""
    rationale: Text = ""
    rationale_zh: Text = ""
    source_type: Text = ""
    confidence: Text = ""


class RulesReply(BaseModel):
    """The answer to the extract question."""

    rules: list[RuleReply]


class RelationReply(BaseModel):
    """How the new rule relates to one existing rule."""

    existing_id: Text
    judgment: Judgment
    reasoning: Text = ""


class RelationsReply(BaseModel):
    """The answer to the relation question."""

    relationships: list[RelationReply]


Reply = TypeVar("Reply", RulesReply, RelationsReply)


def read_reply(text: str, shape: type[Reply]) -> Reply:
    """The first value of this shape in the text; a bare list of objects stands for the shape's one field."""
    text = THINKING.sub("", text[:MAX_REPLY_CHARS]).strip()
    (name,) = shape.model_fields
    values = list(_json_values(text))
    values += [{name: value} for value in values if _is_list_of_objects(value)]
    if _is_nothing(text):
        values.append({name: []})
    for value in values:
        try:
            return shape.model_validate(value)
        except ValidationError:
            continue
    raise LlmReplyUnreadable("The model answered, but not in the JSON that was asked for.")


def _json_values(text: str) -> Iterator[object]:
    """Every complete JSON object or array in the text, none of them inside another."""
    start = tries = 0
    while (opened := OPENING.search(text, start)) and tries < MAX_STARTS:
        tries += 1
        try:
            value, start = DECODER.raw_decode(text, opened.start())
        except (ValueError, RecursionError):
            start = opened.end()
        else:
            yield value


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _is_nothing(text: str) -> bool:
    """An empty list by itself, bare or fenced: nothing was found."""
    fenced = FENCED.search(text)
    return "[]" in (text, fenced[1].strip() if fenced else "")
