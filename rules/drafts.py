"""The words of a rule, checked: what a person or a model wrote goes in, clean column values come out.

Secrets, control characters, lone surrogates and marks that reorder text are gone, lines end in a newline, lists hold no empty
or double entries, and every length is within its limit. Anything else is RuleRefused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from rules.lifecycle import Confidence, SourceType
from rules.redaction import REPLACEMENT, redact
from rules.refusals import RuleRefused
from rules.refusals import gettext_noop as _

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

Value: TypeAlias = str | Sequence[str] | Mapping[str, Sequence[str]]

MIN_TRIGGER = 3  # characters
MAX_TRIGGER = 16384
MAX_ACTION = 8192
MAX_REMARK = 4096  # rationale, behavior, quote
MAX_PHRASES = 32  # variants, excludes
MAX_PHRASE = 512
MAX_LANGUAGES = 16
MAX_LANGUAGE = 16
MAX_TERMS = 64  # a language
MAX_TERM = 256
MAX_PATTERN = 512
MAX_PROJECT_ID = 255

NEWLINES = dict.fromkeys((0x0B, 0x0C, 0x85, 0x2028, 0x2029), "\n")
DROPPED = dict.fromkeys(
    (*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
CLEANED = DROPPED | NEWLINES


@dataclass(frozen=True, kw_only=True)
class RuleDraft:
    """A rule as it is proposed; without a project_id it is meant for every project."""

    trigger: str
    action: str
    rationale: str = ""
    behavior: str = ""
    variants: Sequence[str] = ()
    trigger_zh: str = ""
    action_zh: str = ""
    rationale_zh: str = ""
    behavior_zh: str = ""
    variants_zh: Sequence[str] = ()
    search_terms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    excludes: Sequence[str] = ()
    tool_pattern: str = ""
    source_type: str = SourceType.CORRECTION
    confidence: str = Confidence.HIGH
    project_id: str = ""
    quote: str = ""


def clean_text(text: str) -> str:
    """Text that every terminal, file and model can take, without blanks around it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "ignore").decode("utf-8")
    return lines.translate(CLEANED).strip()


def clean_columns(values: Mapping[str, Value]) -> dict[str, Value]:
    """The same columns with clean values; raises RuleRefused for the first bad one."""
    return {name: CLEANERS[name](name, value) for name, value in values.items()}


def hides_secret(given: Mapping[str, Value], kept: Mapping[str, object]) -> bool:
    """Whether cleaning took a secret out of what was given."""
    return any(
        REPLACEMENT in str(kept.get(name, "")) and REPLACEMENT not in str(value) for name, value in given.items()
    )


def _text(name: str, value: Value, *, most: int, least: int = 0) -> str:
    """Clean text without secrets: what a person types must not end up in a database either."""
    text = redact(clean_text(value)).text if isinstance(value, str) else value
    return _bounded(name, text, most=most, least=least)


def _bounded(name: str, text: Value, *, most: int, least: int = 0) -> str:
    if not isinstance(text, str):
        raise RuleRefused(_("%(name)s is not text."), name=name)
    if least and not text:
        raise RuleRefused(_("%(name)s is empty."), name=name)
    if not least <= len(text) <= most:
        sentence = _("%(name)s has %(count)s characters; %(least)s to %(most)s are allowed.")
        raise RuleRefused(sentence, name=name, count=f"{len(text):,}", least=least, most=f"{most:,}")
    return text


def _line(name: str, value: Value, *, most: int) -> str:
    return " ".join(_text(name, value, most=most).split())


def _phrases(name: str, value: Value, *, count: int = MAX_PHRASES, most: int = MAX_PHRASE) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise RuleRefused(_("%(name)s is not a list."), name=name)
    phrases = list(dict.fromkeys(line for entry in value if (line := _line(name, entry, most=most))))
    if len(phrases) > count:
        sentence = _("%(name)s has %(count)s entries; %(most)s are allowed.")
        raise RuleRefused(sentence, name=name, count=len(phrases), most=count)
    return phrases


def _terms(name: str, value: Value) -> dict[str, list[str]]:
    if not isinstance(value, Mapping):
        raise RuleRefused(_("%(name)s is not a table of languages."), name=name)
    by_language = {
        _line(f"{name} language", language, most=MAX_LANGUAGE): _phrases(
            f"{name} {language}", terms, count=MAX_TERMS, most=MAX_TERM
        )
        for language, terms in value.items()
    }
    if len(by_language) > MAX_LANGUAGES:
        sentence = _("%(name)s has %(count)s languages; %(most)s are allowed.")
        raise RuleRefused(sentence, name=name, count=len(by_language), most=MAX_LANGUAGES)
    return {language: terms for language, terms in by_language.items() if language and terms}


def _pattern(name: str, value: Value) -> str:
    pattern = _bounded(name, clean_text(value) if isinstance(value, str) else value, most=MAX_PATTERN)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a doubtful pattern still works
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        sentence = _("%(name)s is not a regular expression: %(error)s.")
        raise RuleRefused(sentence, name=name, error=error) from error
    return pattern


def _word(name: str, value: Value, *, words: type[StrEnum]) -> str:
    word = _line(name, value, most=MAX_TERM).lower()
    if word not in list(words):
        sentence = _("%(name)s %(word)s is not known; use %(words)s.")
        raise RuleRefused(sentence, name=name, word=repr(word[:40]), words=", ".join(words))
    return word


CLEANERS: dict[str, Callable[[str, Value], Value]] = {
    "trigger": partial(_text, least=MIN_TRIGGER, most=MAX_TRIGGER),
    "action": partial(_text, least=1, most=MAX_ACTION),
    "rationale": partial(_text, most=MAX_REMARK),
    "behavior": partial(_text, most=MAX_REMARK),
    "quote": partial(_text, most=MAX_REMARK),
    "variants": _phrases,
    "trigger_zh": partial(_text, most=MAX_TRIGGER),
    "action_zh": partial(_text, most=MAX_ACTION),
    "rationale_zh": partial(_text, most=MAX_REMARK),
    "behavior_zh": partial(_text, most=MAX_REMARK),
    "variants_zh": _phrases,
    "search_terms": _terms,
    "excludes": _phrases,
    "tool_pattern": _pattern,
    "source_type": partial(_word, words=SourceType),
    "confidence": partial(_word, words=Confidence),
    "project_id": partial(_line, most=MAX_PROJECT_ID),
}
