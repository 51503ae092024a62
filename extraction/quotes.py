"""Which of a person's words may carry a rule, and whether a quote is really among them; pure.

Pasted material is not the person speaking: fenced blocks, quoted lines, markup blocks, the inside of a very long message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

PASTE_CHARS = 2_000  # from here on only a message's first and last paragraph count as the person's own
MIN_QUOTE_WORDS = 2
MIN_QUOTE_CJK = 4  # characters; Chinese and Japanese have no spaces to count words by
PUNCTUATION = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--")  # curly quotes and dashes
FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
OPENED_BLOCK = re.compile(r"^[ \t]*<([A-Za-z][\w-]{0,40})(?:\s[^>\n]{0,400})?>", re.MULTILINE)


def spoken(text: str) -> str:
    """The part of a message that the person says rather than shows."""
    text = QUOTED_LINE.sub("", _without_blocks(FENCED.sub("", text)))
    if len(text) <= PASTE_CHARS:
        return text
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", text) if part.strip()]
    return "\n\n".join({paragraphs[0]: None, paragraphs[-1]: None}) if paragraphs else ""


def occurs_in(quote: str, messages: Iterable[str]) -> bool:
    """Whether the quote stands word for word, spacing and quotation marks aside, in what one message says."""
    wanted = plain(quote)
    return _says_enough(wanted) and any(wanted in plain(spoken(message)) for message in messages)


def _without_blocks(text: str) -> str:
    """The text without <tag> ... </tag> blocks that begin a line; an unclosed one is left."""
    kept = []
    start = 0
    while opened := OPENED_BLOCK.search(text, start):
        closed = text.find(f"</{opened[1]}>", opened.end())
        kept.append(text[start : opened.start() if closed >= 0 else opened.end()])
        start = closed + len(opened[1]) + 3 if closed >= 0 else opened.end()
    return "".join(kept) + text[start:]


def plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(PUNCTUATION).casefold().split())


def _says_enough(text: str) -> bool:
    cjk = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return cjk >= MIN_QUOTE_CJK or len(text.split()) >= MIN_QUOTE_WORDS
