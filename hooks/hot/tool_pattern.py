"""A tool's input and a rule's tool_pattern > does this call touch what the rule is about.

The pattern is a user's regular expression: a broken one counts as none, and one that runs away is stopped.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

MAX_TEXT = 8_000  # characters of tool input that are looked at
SEARCH_SECONDS = 0.2


class PatternTooSlow(RuntimeError):
    """A rule's tool_pattern did not finish on this call's input, so the call counts as not touched by it."""


def touches(pattern: str, tool_input: Mapping[str, object]) -> bool:
    """Raises PatternTooSlow."""
    if not pattern:
        return True
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return True
    return _search_within_limit(compiled, input_texts(tool_input))


def input_texts(tool_input: Mapping[str, object]) -> list[str]:
    """Each text value as it is, then the whole input as JSON, for patterns on field names and nested values."""
    texts = [value for value in tool_input.values() if isinstance(value, str)]
    return [text[:MAX_TEXT] for text in (*texts, json.dumps(tool_input, ensure_ascii=False))]


def _search_within_limit(compiled: re.Pattern[str], texts: list[str]) -> bool:
    import signal  # noqa: PLC0415  costs 1 ms, and few rules have a pattern

    if not hasattr(signal, "setitimer"):  # Windows: the host ends the process; a search keeps our own deadline waiting
        return any(map(compiled.search, texts))
    previous = signal.signal(signal.SIGALRM, _stop_search)
    signal.setitimer(signal.ITIMER_REAL, SEARCH_SECONDS)
    try:
        return any(map(compiled.search, texts))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _stop_search(signal_number: int, frame: FrameType | None) -> None:
    raise PatternTooSlow(f"tool_pattern took over {SEARCH_SECONDS:g} s")
