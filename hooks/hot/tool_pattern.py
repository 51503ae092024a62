"""A user's regular expression, held against a tool call: a rule's tool_pattern on its input, `gate.matcher` on its name.

A broken tool_pattern counts as none, a broken matcher fits no tool, and one that runs away is stopped. Where there is no
timer to interrupt a search with (Windows, or a thread), it runs in a process of its own: it would hold up every thread.
"""

from __future__ import annotations

from rules.plain_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Pattern
    from types import FrameType

MAX_TEXT = 8_000  # characters of tool input that are looked at
SEARCH_SECONDS = 0.2
CHILD_SECONDS = 0.6  # with the start of the process; the call's own deadline is 1 second
SEARCH, FULLMATCH = "search", "fullmatch"  # ways of a pattern
CHILD = (
    "import json, re, sys; pattern, texts, way = json.load(sys.stdin.buffer); "
    "sys.stdout.write(str(any(map(getattr(re.compile(pattern), way), texts))))"
)


class PatternTooSlow(RuntimeError):
    """A regular expression did not finish on this call, so the call counts as not touched by it."""


def touches(pattern: str, tool_input: Mapping[str, object]) -> bool:
    """Raises PatternTooSlow."""
    if not pattern:
        return True
    compiled = _compiled(pattern)
    return compiled is None or _within_limit(compiled, input_texts(tool_input), way=SEARCH)


def fits_whole(pattern: str, text: str) -> bool:
    """Raises PatternTooSlow."""
    compiled = _compiled(pattern)
    return compiled is not None and _within_limit(compiled, [text], way=FULLMATCH)


def _compiled(pattern: str) -> Pattern[str] | None:
    """None for a broken one."""
    import re  # noqa: PLC0415  6 ms, and few rules have a pattern

    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def input_texts(tool_input: Mapping[str, object]) -> list[str]:
    """Each text value as it is, then the whole input as JSON, for patterns on field names and nested values."""
    texts = [value for value in tool_input.values() if isinstance(value, str)]
    return [text[:MAX_TEXT] for text in (*texts, dumps(tool_input, is_ascii=False))]


def _within_limit(compiled: Pattern[str], texts: list[str], *, way: str) -> bool:
    import signal  # noqa: PLC0415  costs 1 ms, and few rules have a pattern

    if not hasattr(signal, "setitimer"):
        return search_in_child(compiled.pattern, texts, way=way)
    try:
        previous = signal.signal(signal.SIGALRM, _stop_search)
    except ValueError:  # only a main thread can be interrupted
        return search_in_child(compiled.pattern, texts, way=way)
    signal.setitimer(signal.ITIMER_REAL, SEARCH_SECONDS)
    try:
        return any(map(getattr(compiled, way), texts))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def search_in_child(pattern: str, texts: list[str], *, way: str = SEARCH) -> bool:
    """Raises PatternTooSlow, also when the process could not do it."""
    from hooks.hot.spawn import answer_of  # noqa: PLC0415  only where there is no timer

    question = dumps([pattern, texts, way]).encode("ascii")
    answer = answer_of(CHILD, question, seconds=CHILD_SECONDS)
    if answer not in (b"True", b"False"):
        raise PatternTooSlow(f"the regular expression took over {CHILD_SECONDS:g} s")
    return answer == b"True"


def _stop_search(signal_number: int, frame: FrameType | None) -> None:
    raise PatternTooSlow(f"the regular expression took over {SEARCH_SECONDS:g} s")
