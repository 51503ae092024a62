"""One segment of the index file: its layout, and a reader that touches only the pages that a prompt needs.

Numbers are in the machine's own byte order. A file that cannot be trusted raises IndexUnreadable, at opening or at the
first read that meets the damage.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left, bisect_right

from retrieval.lexical.bm25 import idf
from retrieval.lexical.concepts import VOCABULARY_ID
from retrieval.lexical.results import Document, Floors
from retrieval.lexical.scoring import Posting, bitmap_size
from retrieval.lexical.tokens import SCRIPTS, script_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap

MAGIC = b"NokoriIx"
FORMAT = 2
# magic, checksum of all that follows it, format, rules, change counter, base id, texts in each script, average length,
# floors: short, long, rules at the time
HEADER = struct.Struct(f"=8sIIIQ16s{len(SCRIPTS)}QdddQ")
CHECKED_FROM = 12  # bytes
SECTIONS = {  # name: item type; in this order, each starting at a multiple of 8 bytes
    "tokenizer_id": "B",
    "term_heads": "Q",
    "term_ends": "I",
    "term_text": "B",
    "idfs": "f",
    "peaks": "f",
    "posting_ends": "I",
    "posting_rules": "I",
    "posting_weights": "f",
    "bitmap_terms": "I",
    "bitmaps": "B",
    "norms": "f",
    "pools": "B",
    "projects": "I",
    "project_text": "B",
    "document_ends": "I",
    "document_text": "B",
    "by_rule_id": "I",
    "removed": "I",
    "removed_text": "B",
}
SIZES = struct.Struct(f"={len(SECTIONS)}Q")
ALIGNMENT = 8
HEAD_BYTES = 8  # of a term; no term holds a zero byte
FIELD_SEPARATOR = "\0"
ITEM_SEPARATOR = "\x1f"
TEXT_FIELDS = (
    "rule_id", "short_id", "status", "source_type", "confidence", "scope", "project_id", "tool_pattern",
    "trigger", "action", "rationale", "trigger_zh", "action_zh", "rationale_zh",
)  # fmt: skip
LIST_FIELDS = ("variants", "terms", "excludes")
FORMAL, SHADOW, GLOBAL, DORMANT = 1, 2, 4, 8  # bits of `pools`: what a rule may be, whoever asks
DAMAGE = (IndexError, OverflowError, TypeError, ValueError, struct.error)  # what reading bad bytes raises
ANEW = "the next `settle` writes it anew."
DAMAGED = f"The published index is damaged; {ANEW}"


class IndexUnreadable(Exception):
    """The published index is missing, damaged, or was written by another version."""


class Segment:
    """One file. Its rules and its terms are numbered from 0."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self._data = data
        try:
            self._read_header()
            self._views = self._cut_sections()
            self._name_sections()
        except DAMAGE as error:
            raise IndexUnreadable(DAMAGED) from error

    def _read_header(self) -> None:
        magic, checksum, version, rule_count, change_counter, base_id, *numbers = HEADER.unpack_from(self._data)
        if magic != MAGIC or version != FORMAT:
            raise IndexUnreadable(f"The published index is of another version of Nokori; {ANEW}")
        self.checksum: int = checksum
        self.rule_count: int = rule_count
        self.change_counter: int = change_counter
        self.base_id: str = base_id.decode("ascii")
        *populations, self.average_length, short, long, floor_rules = numbers
        self.populations: list[int] = populations
        if not (0 <= short < float("inf") and 0 <= long < float("inf")):
            raise ValueError(short, long)
        self.floors = Floors(short=short, long=long, rule_count=floor_rules)

    def _cut_sections(self) -> list[memoryview]:
        whole = memoryview(self._data)
        views, start = [whole], HEADER.size + SIZES.size
        for code, size in zip(SECTIONS.values(), SIZES.unpack_from(self._data, HEADER.size), strict=True):
            start += -start % ALIGNMENT
            views.append(whole[start : start + size].cast(code))  # type: ignore[call-overload]  # codes from a table
            start += size
        if start != len(whole):
            raise ValueError(start, len(whole))
        return views

    def _name_sections(self) -> None:
        (
            _, tokenizer_id, self.term_heads, self.term_ends, self.term_text, self.idfs, self.peaks,
            self.posting_ends, self.posting_rules, self.posting_weights, self.bitmap_terms, self.bitmaps,
            self.norms, self.pools, self.projects, project_text, self.document_ends, self.document_text, self.by_rule_id, self.removed, removed_text,
        ) = self._views  # fmt: skip
        if bytes(tokenizer_id).decode() != VOCABULARY_ID:
            raise IndexUnreadable(f"The published index was made with another tokenizer or stemmer; {ANEW}")
        self.project_ids = bytes(project_text).decode().split(FIELD_SEPARATOR)
        self.removed_rule_ids = frozenset(bytes(removed_text).decode().split(FIELD_SEPARATOR)) - {""}

    def is_intact(self) -> bool:
        """Whether the file is what was written. Reads all of it, which no search does."""
        return self.checksum == zlib.crc32(self._views[0][CHECKED_FROM:])

    def find_term(self, term: str) -> int | None:
        """The number of a term, None when neither a rule nor an off-topic prompt holds it."""
        wanted = term.encode("utf-8", "replace")
        head = term_head(wanted)
        low = bisect_left(self.term_heads, head)
        if low == len(self.term_heads) or self.term_heads[low] != head:
            return None
        if len(wanted) < HEAD_BYTES:  # the head is the whole term
            return low
        high = bisect_right(self.term_heads, head, lo=low)
        if high - low > 1:  # few terms share their first bytes
            low = bisect_left(range(high), wanted, lo=low, key=self._term)
        return low if low < high and self._term(low) == wanted else None

    def posting(self, term_number: int, *, share: float = 1.0) -> Posting:
        ends = self.posting_ends
        start = ends[term_number - 1] if term_number else 0
        end = ends[term_number]
        return Posting(
            rules=self.posting_rules[start:end],
            weights=self.posting_weights[start:end],
            peak=self.peaks[term_number],
            rule_count=self.rule_count,
            share=share,
            bitmap=self._bitmap(term_number),
        )

    def _bitmap(self, term_number: int) -> memoryview | None:
        place = bisect_left(self.bitmap_terms, term_number)
        if place == len(self.bitmap_terms) or self.bitmap_terms[place] != term_number:
            return None
        size = bitmap_size(self.rule_count)
        return self.bitmaps[place * size : (place + 1) * size]

    def idf(self, term: str) -> float:
        number = self.find_term(term)
        return 0.0 if number is None else self.idfs[number]

    def idf_or_rarest(self, term: str) -> float:
        """Of a term that nothing holds, what it would be."""
        number = self.find_term(term)
        if number is not None:
            return self.idfs[number]
        return idf(term, frequency=0, population=self.populations[script_of(term)])

    def document(self, rule: int) -> Document:
        values = self._document_bytes(rule).decode().split(FIELD_SEPARATOR)
        texts = dict(zip(TEXT_FIELDS, values[: len(TEXT_FIELDS)], strict=True))
        lists = zip(LIST_FIELDS, map(_items, values[len(TEXT_FIELDS) :]), strict=True)
        return Document(**texts, **dict(lists))  # type: ignore[arg-type]  # each name is in one of the two tables

    def rule_id(self, rule: int) -> str:
        return self._document_bytes(rule).split(FIELD_SEPARATOR.encode(), 1)[0].decode()

    def find_rule(self, rule_id: str) -> int | None:
        at = bisect_left(self.by_rule_id, rule_id, key=self.rule_id)
        if at == len(self.by_rule_id):
            return None
        rule = self.by_rule_id[at]
        return rule if self.rule_id(rule) == rule_id else None

    def _term(self, number: int) -> bytes:
        start = self.term_ends[number - 1] if number else 0
        return bytes(self.term_text[start : self.term_ends[number]])

    def _document_bytes(self, rule: int) -> bytes:
        start = self.document_ends[rule - 1] if rule else 0
        return bytes(self.document_text[start : self.document_ends[rule]])

    def close(self) -> None:
        for view in reversed(self._views):
            view.release()
        if not isinstance(self._data, bytes):
            self._data.close()


def pool_for(project_id: str, *, bits: int, rule_project: str) -> int:
    """FORMAL: may be injected in this project; SHADOW: a prompt there only counts for the rule; 0: neither."""
    is_own = project_id != "" and rule_project == project_id
    if bits & FORMAL and (bits & GLOBAL or is_own):
        return FORMAL
    return SHADOW if bits & SHADOW and project_id and not is_own else 0


def term_head(term: bytes) -> int:
    """The first bytes as a number that sorts like the term; numbers are quicker to search than texts."""
    return int.from_bytes(term[:HEAD_BYTES].ljust(HEAD_BYTES, b"\0"), "big")


def _items(joined: str) -> tuple[str, ...]:
    return tuple(joined.split(ITEM_SEPARATOR)) if joined else ()
