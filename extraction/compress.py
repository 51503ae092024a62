"""Turns in, an excerpt within a token budget out; pure.

A person's words stay whole, the agent's are cut to head and tail, tools shrink to one line each and long runs of them
to their ends and errors. Over the budget, tools go first, then the agent's words, both from the middle; last of all
the middle of the text. Only a label begins in a line's first column, so no text can pretend to be another turn.
Tokens are estimated: characters beyond ASCII + ASCII characters / 4.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from extraction.transcript import Turn

WINDOW_BUDGETS = 2  # budgets' worth of text kept at either end before thinning, so that memory stays bounded
RUN_ENDS = 3  # tool steps kept at either end of a run
RUN_ERRORS = 3  # errors kept between them
OMITTED = "...[transcript truncated: middle omitted]..."


@dataclass(frozen=True)
class Sizes:
    """How much is kept of what; defaults from the README."""

    max_tokens: int = 30_000
    assistant_head_chars: int = 200
    assistant_tail_chars: int = 100
    tool_input_chars: int = 100
    error_chars: int = 120


@dataclass(frozen=True)
class Piece:
    """One labelled part of an excerpt. words: what a person typed of it, empty for all others."""

    kind: str
    text: str
    words: str = ""

    @property
    def tokens(self) -> float:
        return estimate_tokens(self.text)


@dataclass(frozen=True)
class Excerpt:
    """What the model is shown, and which of it a person typed."""

    pieces: tuple[Piece, ...]
    is_elided: bool

    @property
    def text(self) -> str:
        return "\n".join(piece.text for piece in self.pieces)

    @property
    def human_words(self) -> tuple[str, ...]:
        return tuple(piece.words for piece in self.pieces if piece.words)


def compress(turns: Iterable[Turn], *, sizes: Sizes, earlier: Sequence[str] = ()) -> Excerpt:
    """earlier: the person's last words before these turns, shown for understanding and not to be quoted."""
    window = _Window(limit=WINDOW_BUDGETS * sizes.max_tokens)
    for words in earlier:
        window.add(Piece("earlier", _labelled("Earlier user message", words)))
    for piece in _collapse_runs(_piece(turn, sizes) for turn in turns):
        window.add(piece)
    return _fit(window.pieces(), max_tokens=sizes.max_tokens, is_elided=window.has_dropped)


def estimate_tokens(text: str) -> float:
    ascii_chars = len(text.encode("ascii", "ignore"))
    return len(text) - ascii_chars + ascii_chars / 4


def _piece(turn: Turn, sizes: Sizes) -> Piece:
    if turn.is_human:
        return Piece(turn.kind, _labelled("User", turn.text), words=turn.text)
    if turn.kind == Turn.ASSISTANT:
        return Piece(turn.kind, _labelled("Assistant", _head_and_tail(turn.text, sizes)))
    if turn.kind == Turn.TOOL_USE:
        return Piece(
            turn.kind, _labelled(f"Tool: {_one_line(turn.tool, 60)}", _one_line(turn.text, sizes.tool_input_chars))
        )
    if turn.is_error:
        return Piece("error", _labelled("Result: ERROR", _one_line(turn.text, sizes.error_chars)))
    return Piece(turn.kind, "[Result: OK]")


def _labelled(label: str, text: str) -> str:
    return f"[{label}] " + "\n  ".join(text.splitlines())


def _one_line(text: str, max_chars: int) -> str:
    return " ".join(text[: 4 * max_chars].split())[:max_chars]


def _head_and_tail(text: str, sizes: Sizes) -> str:
    head, tail = sizes.assistant_head_chars, sizes.assistant_tail_chars
    if len(text) <= head + tail + len("\n...\n"):
        return text
    return f"{text[:head]}\n...\n{text[len(text) - tail :]}"


def _collapse_runs(pieces: Iterable[Piece]) -> Iterator[Piece]:
    run = _ToolRun()
    for piece in pieces:
        if piece.kind in (Turn.TOOL_USE, Turn.TOOL_RESULT, "error"):
            run.add(piece)
            continue
        yield from run.end()
        run = _ToolRun()
        yield piece
    yield from run.end()


class _ToolRun:
    """Tool steps in a row: both ends and a few errors between them are kept, the others counted."""

    def __init__(self) -> None:
        self._head: list[Piece] = []
        self._errors: list[Piece] = []
        self._tail: deque[Piece] = deque()
        self._left_out = 0

    def add(self, piece: Piece) -> None:
        if len(self._head) < RUN_ENDS:
            self._head.append(piece)
            return
        self._tail.append(piece)
        if len(self._tail) > RUN_ENDS:
            self._drop(self._tail.popleft())

    def _drop(self, piece: Piece) -> None:
        if piece.kind == "error" and len(self._errors) < RUN_ERRORS:
            self._errors.append(piece)
        else:
            self._left_out += 1

    def end(self) -> Iterator[Piece]:
        yield from self._head
        yield from self._errors
        if self._left_out:
            yield Piece(Turn.TOOL_RESULT, f"[{self._left_out} more tool steps]")
        yield from self._tail


class _Window:
    """The first and the last pieces of a stream, each end up to a number of tokens."""

    def __init__(self, *, limit: float) -> None:
        self._limit = limit
        self._head: list[Piece] = []
        self._head_tokens = 0.0
        self._tail: deque[Piece] = deque()
        self._tail_tokens = 0.0
        self.has_dropped = False

    def add(self, piece: Piece) -> None:
        if self._head_tokens < self._limit:
            self._head.append(piece)
            self._head_tokens += piece.tokens
            return
        self._tail.append(piece)
        self._tail_tokens += piece.tokens
        while len(self._tail) > 1 and self._tail_tokens > self._limit:
            self._tail_tokens -= self._tail.popleft().tokens
            self.has_dropped = True

    def pieces(self) -> list[Piece]:
        gap = [Piece("gap", OMITTED)] if self.has_dropped else []
        return [*self._head, *gap, *self._tail]


def _fit(pieces: list[Piece], *, max_tokens: int, is_elided: bool) -> Excerpt:
    for kinds in ((Turn.TOOL_USE, Turn.TOOL_RESULT), ("error",), (Turn.ASSISTANT,)):
        kept = _thin(pieces, kinds=kinds, max_tokens=max_tokens)
        is_elided = is_elided or len(kept) < len(pieces)
        pieces = kept
    if _total(pieces) <= max_tokens:
        return Excerpt(tuple(pieces), is_elided)
    return _without_middle(pieces, max_tokens=max_tokens)


def _without_middle(pieces: list[Piece], *, max_tokens: int) -> Excerpt:
    half = max(0.0, (max_tokens - estimate_tokens(OMITTED) - 2) / 2)
    head = _first_tokens(pieces, half)
    tail = _first_tokens([_reversed(piece) for piece in reversed(pieces)], half)
    return Excerpt((*head, Piece("gap", OMITTED), *map(_reversed, reversed(tail))), is_elided=True)


def _thin(pieces: list[Piece], *, kinds: Sequence[str], max_tokens: int) -> list[Piece]:
    """The pieces without those of these kinds that lie nearest to the middle, as many as it takes."""
    excess = _total(pieces) - max_tokens
    middle = len(pieces) / 2
    dropped = set()
    for index in sorted(range(len(pieces)), key=lambda index: abs(index - middle)):
        if excess <= 0:
            break
        if pieces[index].kind in kinds:
            dropped.add(index)
            excess -= pieces[index].tokens + 0.25  # the line's end
    return [piece for index, piece in enumerate(pieces) if index not in dropped]


def _total(pieces: Sequence[Piece]) -> float:
    return sum(piece.tokens + 0.25 for piece in pieces)


def _first_tokens(pieces: Sequence[Piece], max_tokens: float) -> list[Piece]:
    """As many pieces as fit, the last one cut; two blanks at its cut end keep a cut text from looking like a label."""
    kept: list[Piece] = []
    left = max_tokens
    for piece in pieces:
        if piece.tokens + 0.25 > left:
            cut = _prefix(piece.text, left - 1) + "  "
            return [*kept, Piece(piece.kind, cut, words=cut if piece.words else "")]
        kept.append(piece)
        left -= piece.tokens + 0.25
    return kept


def _prefix(text: str, max_tokens: float) -> str:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def _reversed(piece: Piece) -> Piece:
    return Piece(piece.kind, piece.text[::-1], words=piece.words[::-1])
