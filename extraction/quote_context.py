"""The quote that a rule was learned from > what was said around it, read again from the transcript, secrets taken out.

None when the transcript is gone, too long to read for a page, or outside the allowed folders.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from extraction.models import ExtractJob
from extraction.quotes import plain
from extraction.transcript import Turn
from extraction.transcript_file import TranscriptError, TranscriptReader, require_allowed
from rules.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.models import Rule

TALK = (Turn.HUMAN, Turn.ASSISTANT)
TURNS_BEFORE, TURNS_AFTER = 2, 1
MAX_TURN_CHARS = 600
MAX_BYTES = 12 * 1024 * 1024  # a page waits for the reading


@dataclass(frozen=True, kw_only=True)
class Said:
    """One turn of the talk; holds_quote: the words that the rule was learned from are in it."""

    text: str
    is_human: bool
    holds_quote: bool


def quote_context(rule: Rule, *, roots: Sequence[str]) -> list[Said] | None:
    path = _transcript_of(rule)
    if not rule.quote or not path:
        return None
    try:
        real = require_allowed(path, roots)
        if Path(real).stat().st_size > MAX_BYTES:
            return None
        return _around(plain(rule.quote), TranscriptReader(real).turns())
    except (TranscriptError, OSError):
        return None


def _transcript_of(rule: Rule) -> str:
    """Of the session that its oldest evidence comes from."""
    session_id = rule.evidence.exclude(session_id="").order_by("at", "pk").values_list("session_id", flat=True).first()
    jobs = ExtractJob.objects.filter(session_id=session_id).order_by("-created_at")
    return (session_id and jobs.values_list("transcript_path", flat=True).first()) or ""


def _around(quote: str, turns: Iterable[Turn]) -> list[Said] | None:
    before: deque[Turn] = deque(maxlen=TURNS_BEFORE)
    talk = (turn for turn in turns if turn.kind in TALK and turn.text.strip())
    for turn in talk:
        if turn.is_human and quote in plain(turn.text):
            after = [turn for turn, _ in zip(talk, range(TURNS_AFTER), strict=False)]
            return [*map(_said, before), _said(turn, holds_quote=True), *map(_said, after)]
        before.append(turn)
    return None


def _said(turn: Turn, *, holds_quote: bool = False) -> Said:
    text = redact(turn.text.strip()).text
    cut = text if len(text) <= MAX_TURN_CHARS else f"{text[:MAX_TURN_CHARS]} …"
    return Said(text=cut, is_human=turn.is_human, holds_quote=holds_quote)
