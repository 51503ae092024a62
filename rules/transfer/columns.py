"""One value of a record: what a file says goes in, what the column holds comes out, or RuleRefused names the place.

Every column of a rule and of its past has a reader here; words and lengths are held to the same limits as in `add`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from django.utils import timezone

from rules.drafts import CLEANERS, MAX_REMARK, clean_text
from rules.lifecycle import EvidenceKind, Mover, Scope, Status
from rules.redaction import redact
from rules.refusals import RuleRefused
from rules.short_ids import MAX_LENGTH, MIN_LENGTH
from rules.succession import Relation

if TYPE_CHECKING:
    from enum import StrEnum

Reader: TypeAlias = Callable[[str, object], object]  # (place in the file, value)

MAX_COUNT = 2**31 - 1  # of a PositiveIntegerField
MAX_POINTS = 2**15 - 1  # of a PositiveSmallIntegerField
MAX_ID = 255
YEARS = range(1970, 9999)  # what every database and time zone can take
HEX_DIGITS = frozenset("0123456789abcdef")


def _id(place: str, value: object) -> UUID:
    try:
        return UUID(value if isinstance(value, str) else "")
    except ValueError:
        raise RuleRefused(f"{place} is not a UUID.") from None


def _short_id(place: str, value: object) -> str:
    name = value.lower() if isinstance(value, str) else ""
    if not (MIN_LENGTH <= len(name) <= MAX_LENGTH and HEX_DIGITS.issuperset(name)):
        raise RuleRefused(f"{place} is not {MIN_LENGTH} to {MAX_LENGTH} hex digits.")
    return name


def _text(place: str, value: object, *, most: int = MAX_REMARK) -> str:
    if not isinstance(value, str):
        raise RuleRefused(f"{place} is not text.")
    text = redact(clean_text(value)).text
    if len(text) > most:
        raise RuleRefused(f"{place} has {len(text):,} characters; {most:,} are allowed.")
    return text


def _word(place: str, value: object, *, words: type[StrEnum]) -> str:
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in list(words):
        raise RuleRefused(f"{place} is not one of {', '.join(words)}.")
    return word


def _count(place: str, value: object, *, least: int = 0, most: int = MAX_COUNT) -> int:
    if type(value) is not int or not least <= value <= most:
        raise RuleRefused(f"{place} is not a whole number from {least} to {most:,}.")
    return value


def _yes_or_no(place: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise RuleRefused(f"{place} is not true or false.")
    return value


def _moment(place: str, value: object) -> datetime:
    """A time without a zone is this machine's local time."""
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
        if moment.year not in YEARS:
            raise ValueError(moment.year)
        return timezone.make_aware(moment) if moment.tzinfo is None else moment
    except ValueError:
        raise RuleRefused(f"{place} is not a time such as 2026-11-30T12:00:00+00:00.") from None


def _day(place: str, value: object) -> date:
    try:
        return date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        raise RuleRefused(f"{place} is not a day such as 2026-11-30.") from None


_identifier = partial(_text, most=MAX_ID)

RULE_COLUMNS: dict[str, Reader] = {
    **CLEANERS,  # type: ignore[dict-item]  # each of them refuses a value of another type
    "id": _id,
    "short_id": _short_id,
    "status": partial(_word, words=Status),
    "status_since": _moment,
    "project_scope": partial(_word, words=Scope),
    "superseded_by": _id,
    "archived_reason": _text,
    "hit_count": _count,
    "last_hit": _moment,
    "shadow_hit_count": _count,
    "evidence_score": _count,
    "manual_edit": _yes_or_no,
    "created_at": _moment,
    "updated_at": _moment,
    "activated_at": _moment,
}
EVIDENCE_COLUMNS: dict[str, Reader] = {
    "kind": partial(_word, words=EvidenceKind),
    "points": partial(_count, least=1, most=MAX_POINTS),
    "day": _day,
    "at": _moment,
    "project_id": _identifier,
    "session_id": _identifier,
}
SHADOW_HIT_COLUMNS: dict[str, Reader] = {"project_id": _identifier, "day": _day}
HISTORY_COLUMNS: dict[str, Reader] = {
    "from_status": lambda place, value: value and _word(place, value, words=Status),  # empty in a rule's first row
    "to_status": partial(_word, words=Status),
    "why": _text,
    "by": partial(_word, words=Mover),
    "at": _moment,
}
PAIR_COLUMNS: dict[str, Reader] = {"old": _id, "relation": partial(_word, words=Relation), "at": _moment}
