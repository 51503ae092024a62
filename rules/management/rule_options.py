"""The options that say what a rule holds, the same for `add` and `edit`: options in, columns by name out."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from rules.lifecycle import Confidence, SourceType
from rules.projects import project_id

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping

    from rules.drafts import Value

TEXTS = {
    "trigger": "in which situation the rule applies",
    "action": "what to do then",
    "rationale": "why",
    "behavior": "what the agent did wrong",
    "trigger_zh": "the trigger in Chinese",
    "action_zh": "the action in Chinese",
    "rationale_zh": "the rationale in Chinese",
    "behavior_zh": "the behavior in Chinese",
    "tool_pattern": "regular expression: the gate waits for a tool call whose input it matches",
}
LISTS = {
    "variants": "other wordings of the trigger",
    "variants_zh": "other wordings of the trigger in Chinese",
    "excludes": "phrases that keep the rule silent",
}
TERMS = {"terms_en": "en", "terms_zh": "zh"}
HERE = "."
WORDS = {"source_type": SourceType, "confidence": Confidence}


def add_rule_options(parser: ArgumentParser) -> None:
    for name, meaning in TEXTS.items():
        parser.add_argument(_option(name), metavar="TEXT", help=meaning)
    for name, meaning in LISTS.items():
        parser.add_argument(_option(name), metavar="A,B", type=split_list, help=f"{meaning}; quote one with a comma")
    for name, language in TERMS.items():
        parser.add_argument(_option(name), metavar="A,B", type=split_list, help=f"search terms, {language}")
    for name, words in WORDS.items():
        parser.add_argument(_option(name), choices=[word.value for word in words])


def given_columns(options: Mapping[str, Any], *, search_terms: Mapping[str, list[str]]) -> dict[str, Value]:
    """The columns that were given; terms join the languages that the rule has in search_terms."""
    columns = {name: options[name] for name in (*TEXTS, *LISTS, *WORDS) if options[name] is not None}
    terms = {language: options[name] for name, language in TERMS.items() if options[name] is not None}
    return columns | {"search_terms": {**search_terms, **terms}} if terms else columns


def project_named(word: str) -> str:
    """The id that was given; `.` is that of the folder this runs in."""
    return project_here() if word == HERE else word


def project_here() -> str:
    return project_id(str(Path.cwd()), isolate_worktrees=settings.NOKORI.isolate_worktrees)


def split_list(text: str) -> list[str]:
    """The entries between commas; a quoted entry may hold one. Chinese commas separate too."""
    plain = text.replace("，", ",").replace("、", ",")  # noqa: RUF001
    return [entry for line in csv.reader(plain.splitlines(), skipinitialspace=True) for entry in line]


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
