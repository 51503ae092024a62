"""Documents in, the bytes of an index segment out: a base over all rules, or a delta over what changed since a base.

What a hook would have to compute is computed here: idf with the off-topic background, weights divided by each rule's
norm, the largest weight of each term. The same documents give the same bytes.
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from array import array
from collections import Counter

from retrieval.lexical.bm25 import idf, norm, saturation
from retrieval.lexical.concepts import VOCABULARY_ID, tokenize_with_concepts
from retrieval.lexical.scoring import make_bitmap
from retrieval.lexical.segment import (
    ALIGNMENT,
    CHECKED_FROM,
    DORMANT,
    FIELD_SEPARATOR,
    FORMAL,
    FORMAT,
    GLOBAL,
    HEADER,
    ITEM_SEPARATOR,
    LIST_FIELDS,
    MAGIC,
    SECTIONS,
    SHADOW,
    SIZES,
    TEXT_FIELDS,
    term_head,
)  # fmt: skip
from retrieval.lexical.tokens import LATIN, SCRIPTS, script_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from retrieval.lexical.packed import Index
    from retrieval.lexical.results import Document, Floors
    from retrieval.lexical.segment import Segment

FORMAL_STATUSES = ("active", "dormant")
SHADOW_STATUSES = ("active", "candidate")
BITMAP_SHARE = 1 / 64  # of the rules; a rarer term's bitmap is larger than its list, and quickly made of it


class Background:
    """Texts as idf sees them: how many of them hold each term, and how many have words in each script.

    Latin words (names, commands) may stand in any text, so all texts count there.
    """

    __slots__ = ("frequencies", "populations")

    def __init__(self, prompts: Iterable[str] = ()) -> None:
        self.frequencies: Counter[str] = Counter()
        self.populations = [0] * len(SCRIPTS)
        for prompt in prompts:
            self.add({term for term, _ in tokenize_with_concepts(prompt)})

    def add(self, terms: Collection[str]) -> None:
        self.frequencies.update(terms)
        for script in {LATIN, *(script_of(term) for term in terms if not term.isascii())}:
            self.populations[script] += 1

    def copy(self) -> Background:
        copied = Background()
        copied.frequencies = self.frequencies.copy()
        copied.populations = self.populations.copy()
        return copied


def pack(documents: Iterable[Document], *, background: Background, floors: Floors, change_counter: int) -> bytes:
    """The base segment."""
    rules = list(documents)
    counts = [term_counts(rule) for rule in rules]
    known = background.copy()
    for count in counts:
        known.add(count.keys())
    idfs = {
        term: idf(term, frequency=frequency, population=known.populations[script_of(term)])
        for term, frequency in known.frequencies.items()
    }
    average_length = sum(map(Counter.total, counts)) / max(len(counts), 1)
    sections = _sections(rules, counts, idfs=idfs, average_length=average_length)
    numbers = (*known.populations, average_length, floors.short, floors.long, floors.rule_count)
    return _assemble(sections, rule_count=len(rules), change_counter=change_counter, numbers=numbers)


def pack_delta(documents: Iterable[Document], *, base: Index, removed: frozenset[str], change_counter: int) -> bytes:
    """The delta segment: `documents` are all that are new or changed since the base, `removed` all rule ids gone since.

    idf, average length and floors are the base's: one rule alone would get absurd ones.
    """
    rules = list(documents)
    counts = [term_counts(rule) for rule in rules]
    segment = base.base
    idfs = {term: _base_idf(term, segment) for term in frozenset[str]().union(*counts)}
    sections = _sections(rules, counts, idfs=idfs, average_length=segment.average_length)
    replaced = removed.union(rule.rule_id for rule in rules)
    stale = sorted(number for number in map(segment.find_rule, replaced) if number is not None)
    sections["removed"] = array("I", stale).tobytes()
    sections["removed_text"] = FIELD_SEPARATOR.join(sorted(removed)).encode()
    floors = segment.floors
    numbers = (*segment.populations, segment.average_length, floors.short, floors.long, floors.rule_count)
    return _assemble(
        sections, rule_count=len(rules), change_counter=change_counter, numbers=numbers, base_id=base.base_id
    )


def with_floors(base: bytes, floors: Floors) -> bytes:
    """The same base segment with other floors; it stays the same base for its deltas."""
    *first, _, _, _ = HEADER.unpack_from(base)
    return _sealed(HEADER.pack(*first, floors.short, floors.long, floors.rule_count) + base[HEADER.size :])


def term_counts(rule: Document) -> Counter[str]:
    """How often a rule holds each term, in all texts that it is found by."""
    texts = (rule.trigger, rule.trigger_zh, rule.action, rule.action_zh, *rule.variants, *rule.terms)
    return Counter([term for text in texts for term, _ in tokenize_with_concepts(text)])


def _base_idf(term: str, base: Segment) -> float:
    number = base.find_term(term)
    if number is None:
        return idf(term, frequency=1, population=base.populations[script_of(term)])
    return base.idfs[number]


def _sections(
    rules: Sequence[Document], counts: Sequence[Counter[str]], *, idfs: Mapping[str, float], average_length: float
) -> dict[str, bytes]:
    norms = [norm(sum(idfs[term] for term in count)) for count in counts]
    sections = _postings(counts, norms, idfs=idfs, average_length=average_length)
    sections |= _rule_columns(rules)
    sections["norms"] = array("f", norms).tobytes()
    sections["tokenizer_id"] = VOCABULARY_ID.encode()
    return sections


def _postings(
    counts: Sequence[Counter[str]], norms: Sequence[float], *, idfs: Mapping[str, float], average_length: float
) -> dict[str, bytes]:
    rules_of: dict[str, list[int]] = {term: [] for term in idfs}
    weights_of: dict[str, list[float]] = {term: [] for term in idfs}
    for rule, count in enumerate(counts):
        length = count.total() / (average_length or 1.0)
        shares = {repeats: saturation(repeats, relative_length=length) / norms[rule] for repeats in set(count.values())}
        for term, repeats in count.items():
            rules_of[term].append(rule)
            weights_of[term].append(idfs[term] * shares[repeats])
    terms = sorted(idfs, key=_term_bytes)
    ends, rules, weights = array("I"), array("I"), array("f")
    for term in terms:
        rules.extend(rules_of[term])
        weights.extend(weights_of[term])
        ends.append(len(rules))
    return {
        **_texts("term", map(_term_bytes, terms)),
        **_bitmaps([rules_of[term] for term in terms], rule_count=len(counts)),
        "term_heads": array("Q", map(term_head, map(_term_bytes, terms))).tobytes(),
        "idfs": array("f", map(idfs.__getitem__, terms)).tobytes(),
        "peaks": array("f", (max(weights_of[term], default=0.0) for term in terms)).tobytes(),
        "posting_ends": ends.tobytes(),
        "posting_rules": rules.tobytes(),
        "posting_weights": weights.tobytes(),
    }


def _bitmaps(postings: Sequence[Sequence[int]], *, rule_count: int) -> dict[str, bytes]:
    common = [number for number, rules in enumerate(postings) if len(rules) > rule_count * BITMAP_SHARE]
    return {
        "bitmap_terms": array("I", common).tobytes(),
        "bitmaps": b"".join(make_bitmap(postings[number], rule_count=rule_count) for number in common),
    }


def _term_bytes(term: str) -> bytes:
    return term.encode("utf-8", "replace")


def _rule_columns(rules: Sequence[Document]) -> dict[str, bytes]:
    project_numbers: dict[str, int] = {"": 0}
    projects = array("I", (project_numbers.setdefault(rule.project_id, len(project_numbers)) for rule in rules))
    ids = [rule.rule_id for rule in rules]
    return {
        **_texts("document", map(_document_bytes, rules)),
        "pools": bytes(map(_pool_bits, rules)),
        "projects": projects.tobytes(),
        "project_text": FIELD_SEPARATOR.join(project_numbers).encode(),
        "by_rule_id": array("I", sorted(range(len(ids)), key=ids.__getitem__)).tobytes(),
    }


def _texts(name: str, texts: Iterable[bytes]) -> dict[str, bytes]:
    ends, body = array("I"), bytearray()
    for text in texts:
        body += text
        ends.append(len(body))
    return {f"{name}_ends": ends.tobytes(), f"{name}_text": bytes(body)}


def _pool_bits(rule: Document) -> int:
    """See nokori's pools: formal rules may be injected, shadow rules are other projects' that might become global."""
    is_shadow = (
        rule.status in SHADOW_STATUSES
        and rule.scope == "project"
        and rule.project_id != ""
        and rule.confidence == "high"
        and rule.source_type != "preference"
    )
    return (
        FORMAL * (rule.status in FORMAL_STATUSES)
        | SHADOW * is_shadow
        | GLOBAL * (rule.scope == "global")
        | DORMANT * (rule.status == "dormant")
    )


def _document_bytes(rule: Document) -> bytes:
    texts = [_plain(getattr(rule, name)) for name in TEXT_FIELDS]
    lists = [ITEM_SEPARATOR.join(map(_plain, getattr(rule, name))) for name in LIST_FIELDS]
    return FIELD_SEPARATOR.join(texts + lists).encode("utf-8", "replace")


def _plain(text: str) -> str:
    """Without the two characters that separate fields and items; nothing readable holds them."""
    return text.replace(FIELD_SEPARATOR, " ").replace(ITEM_SEPARATOR, " ")


def _assemble(
    sections: Mapping[str, bytes],
    *,
    rule_count: int,
    change_counter: int,
    numbers: tuple[float, ...],
    base_id: str = "",
) -> bytes:
    """The whole file. Without a base_id it is a base, and gets its id from its content."""
    bodies = [sections.get(name, b"") for name in SECTIONS]
    identity = base_id.encode() or hashlib.sha256(b"\0".join(bodies)).hexdigest()[:16].encode()
    data = bytearray(HEADER.pack(MAGIC, 0, FORMAT, rule_count, change_counter, identity, *numbers))
    data += SIZES.pack(*map(len, bodies))
    for body in bodies:
        data += bytes(-len(data) % ALIGNMENT) + body
    return _sealed(data)


def _sealed(data: bytes | bytearray) -> bytes:
    """The file with its checksum in place."""
    checked = memoryview(data)[CHECKED_FROM:]
    return MAGIC + zlib.crc32(checked).to_bytes(CHECKED_FROM - len(MAGIC), sys.byteorder) + checked
