"""An excerpt in, candidate rules out: worded by the model, checked against what the person really typed.

A candidate without a quote from the person's own words never leaves this module, nor does one that was dismissed.
Text of the model is redacted and cut to one line like the excerpt was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from extraction.compress import Excerpt
from extraction.llm import Llm
from extraction.prompts import extract_question
from extraction.quotes import occurs_in
from extraction.replies import RuleReply, RulesReply, read_reply
from rules.lifecycle import Confidence, SourceType
from rules.redaction import redact

MAX_TRIGGER_CHARS = 400  # a longer one is scraped text, not a situation
MAX_ACTION_CHARS = 1_000
MAX_REASON_CHARS = 1_000  # behavior and rationale are cut to it
MAX_QUOTE_CHARS = 1_000
MIN_TRIGGER_CHARS = 3  # README of the `add` command
MAX_VARIANTS = 3
MAX_VARIANT_CHARS = 200
MAX_TERMS = 8  # a language
MAX_TERM_CHARS = 64
MAX_CODE_SHARE = 0.25  # of a trigger's characters that are program punctuation
CODE_CHARS = frozenset("{}[]();=<>|\\$&*^~@#%")
ACTOR = re.compile(r"(?:the )?(?:user|assistant|agent|ai)\b|用户|助手", re.IGNORECASE)
LOCATORS = frozenset(
    {"不对", "不是这里", "不是这个", "这里", "那里", "这个", "那个", "here", "there", "this one", "not here"}
)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Candidate:
    """A rule that a person's words speak for, not yet compared with the rules there are."""

    trigger: str
    action: str
    quote: str
    source_type: SourceType
    confidence: Confidence
    variants: tuple[str, ...] = ()
    search_terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    behavior: str = ""
    rationale: str = ""
    trigger_zh: str = ""
    variants_zh: tuple[str, ...] = ()
    behavior_zh: str = ""
    action_zh: str = ""
    rationale_zh: str = ""

    def as_record(self) -> dict[str, object]:
        """Plain data for a checkpoint."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Candidate:  # Any: JSON that as_record() wrote
        terms = {language: tuple(terms) for language, terms in record["search_terms"].items()}
        variants = {name: tuple(record[name]) for name in ("variants", "variants_zh")}
        kinds = {"source_type": SourceType(record["source_type"]), "confidence": Confidence(record["confidence"])}
        return cls(**{**record, **variants, **kinds, "search_terms": terms})


@dataclass(frozen=True)
class Extracted:
    """The candidates of one excerpt, and why others were dropped."""

    candidates: tuple[Candidate, ...]
    dropped: Mapping[str, int]  # reason > how many


def extract_candidates(
    excerpt: Excerpt, *, llm: Llm, limit: int, is_dismissed: Callable[[Candidate], bool] = lambda _: False
) -> Extracted:
    """Asks the model once. Raises LlmError; no answer at all is needed for an excerpt without human words."""
    if not excerpt.human_words:
        return Extracted((), {})
    reply = read_reply(llm.answer(extract_question(excerpt.text, limit=limit)), RulesReply)
    kept: list[Candidate] = []
    dropped: Counter[str] = Counter()
    for worded in reply.rules:
        candidate = _candidate(worded)
        reason = _fault(candidate, excerpt, is_dismissed) or ("over the limit" if len(kept) >= limit else "")
        if reason:
            dropped[reason] += 1
        else:
            kept.append(candidate)
    return Extracted(tuple(kept), dict(dropped))


def _fault(candidate: Candidate, excerpt: Excerpt, is_dismissed: Callable[[Candidate], bool]) -> str:
    """Why the candidate is dropped; empty for a sound one."""
    if len(candidate.trigger) < MIN_TRIGGER_CHARS or not candidate.action:
        return "no trigger or no action"
    if len(candidate.trigger) > MAX_TRIGGER_CHARS or len(candidate.action) > MAX_ACTION_CHARS:
        return "too long"
    if _code_share(candidate.trigger) > MAX_CODE_SHARE:
        return "code instead of a situation"
    if not occurs_in(candidate.quote, excerpt.human_words):
        return "no quote of the person"
    return "dismissed before" if is_dismissed(candidate) else ""


def _candidate(worded: RuleReply) -> Candidate:
    """CJK-only answers are fine: the Chinese text then stands for the main one."""
    main_variants = worded.variants or worded.variants_zh
    return Candidate(
        trigger=_line(worded.trigger or worded.trigger_zh),
        action=_line(worded.action or worded.action_zh),
        quote=_line(worded.quote, MAX_QUOTE_CHARS),
        source_type=_known_source_type(worded.source_type),
        confidence=_known_confidence(worded.confidence),
        variants=_variants(main_variants),
        search_terms=_search_terms(worded.search_terms),
        behavior=_line(worded.behavior or worded.behavior_zh, MAX_REASON_CHARS),
        rationale=_line(worded.rationale or worded.rationale_zh, MAX_REASON_CHARS),
        trigger_zh=_line(worded.trigger_zh, MAX_TRIGGER_CHARS),
        variants_zh=_variants(worded.variants_zh),
        behavior_zh=_line(worded.behavior_zh, MAX_REASON_CHARS),
        action_zh=_line(worded.action_zh, MAX_ACTION_CHARS),
        rationale_zh=_line(worded.rationale_zh, MAX_REASON_CHARS),
    )


def _line(text: str, max_chars: int | None = None) -> str:
    """One redacted line without control or direction characters."""
    return " ".join(CONTROL.sub(" ", redact(text).text).split())[:max_chars]


def _known_source_type(word: str) -> SourceType:
    return SourceType(word.lower()) if word.lower() in list(SourceType) else SourceType.PREFERENCE


def _known_confidence(word: str) -> Confidence:
    return Confidence(word.lower()) if word.lower() in list(Confidence) else Confidence.MEDIUM


def _variants(texts: list[str]) -> tuple[str, ...]:
    """Wordings of a request; one about the user or the agent is none."""
    lines = [_line(text, MAX_VARIANT_CHARS) for text in texts]
    return _distinct([line for line in lines if line and not ACTOR.match(line)], MAX_VARIANTS)


def _search_terms(named: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """Terms under the language that their script says; words that only point somewhere are left out."""
    lines = [_line(text, MAX_TERM_CHARS) for texts in named.values() for text in texts]
    terms = [line for line in lines if line and line.lower() not in LOCATORS]
    chinese = [term for term in terms if CJK.search(term)]
    latin = [term for term in terms if not CJK.search(term)]
    found = {"en": _distinct(latin, MAX_TERMS), "zh": _distinct(chinese, MAX_TERMS)}
    return {language: terms for language, terms in found.items() if terms}


def _distinct(texts: list[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:limit]


def _code_share(text: str) -> float:
    return sum(char in CODE_CHARS for char in text) / max(1, len(text))
