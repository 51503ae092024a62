"""Text in, terms out: NFKC, casefolded Latin words stemmed by Porter2, CJK runs as overlapping pairs and single characters.

A term carries the number of the word it came from. Parts of one identifier (setState: setstate, set, state) share the
number; CJK pairs are numbered by position, so that pairs that share a character differ by one and words by at least two;
a single CJK character has no number. Documents and prompts go through here alike; TOKENIZER_ID names the way.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from unicodedata import normalize

from retrieval.lexical.memo import Memo
from retrieval.lexical.stemming import STEMMER_ID, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Token = tuple[str, int | None]

MIN_WORD = 2  # characters of a Latin word; single letters say nothing
MAX_WORD = 64  # characters; what is longer is a blob, its head is enough
PIECE = 2_000  # characters that are normalized at once
TEXTS_KEPT = 32  # several hits ask about the same long line
WORDS_KEPT = 1 << 15
SPACE = ord(" ")
SCRIPTS = LATIN, HAN, KANA, HANGUL = range(4)  # LATIN is every script that writes words apart
ENGLISH = """
    a about all also am an and any are as at be been but by can could did do does done for from get had has have he her
    here him his how if in into is it its just let ll make makes making me my need no not of on one or our out please re
    she should so some than that the their them then there these they this those to too up us use used uses using ve very
    want was we were what when where which who why will with would you your
    don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn cannot
"""
GERMAN = """
    aber als auf aus bei bitte da das dass dem den der des doch du ein eine einem einen einer er es für haben ich ihr im
    ist ja kann mal mein mich mir mit nach nicht noch nur oder sich sie sind über um und uns vom von vor wenn wie wir wird
    zu zum zur
"""  # without those that are English content words: die, war, hat, man
STOP_WORDS = frozenset(f"{ENGLISH}{GERMAN}".split())
TOKENIZER_ID = f"nokori1{STEMMER_ID}"


def tokenize(text: str) -> list[Token]:
    """The terms in reading order; a word that is a stop word or a single letter gives none."""
    tokens: list[Token] = []
    number = 0
    for run in _script_runs(text):
        if _is_cjk(run[0]):
            tokens += _cjk_tokens(run, number)
            number += len(run)
        else:
            for term in _LATIN_TERMS[run]:
                tokens.append((term, number))
            number += 2
    return tokens


def script_of(term: str) -> int:
    """The writing that a term belongs to: a place in SCRIPTS."""
    if term.isascii() or not _is_cjk(term[0]):
        return LATIN
    if any("\u3040" <= character <= "\u30ff" for character in term):
        return KANA
    return HANGUL if "\uac00" <= term[0] <= "\ud7af" else HAN


def count_words(numbers: Iterable[int]) -> int:
    """How many separate words stand behind these word numbers: numbers one apart share a CJK character."""
    count, last = 0, -2
    for number in sorted(numbers):
        if number - last >= 2:
            count, last = count + 1, number
    return count


def surfaces(text: str) -> dict[str, str]:
    """For each term the word that it was typed as (casefolded), in reading order."""
    return _SURFACES[text]


def word_sequence(text: str) -> str:
    """The words one after the other, stemmed, stop words kept, CJK by character: for "does it hold this phrase"."""
    return _SEQUENCES[text]


def _surfaces(text: str) -> dict[str, str]:
    typed: dict[str, str] = {}
    for run in _script_runs(text):
        if _is_cjk(run[0]):
            for term, _ in _cjk_tokens(run, 0):
                typed.setdefault(term, term)
        else:
            for term in _LATIN_TERMS[run]:
                typed.setdefault(term, run.casefold()[:MAX_WORD])
    return typed


def _word_sequence(text: str) -> str:
    words: list[str] = []
    for run in _script_runs(text):
        words += run if _is_cjk(run[0]) else [stem(run.casefold()[:MAX_WORD])]
    return f" {' '.join(words)} "


def _latin_terms(word: str) -> tuple[str, ...]:
    """The terms of one Latin word: the whole, and the parts of a camelCase identifier."""
    word = word[:MAX_WORD]
    parts = [word]
    if not word.islower() and not word.isupper() and not word.istitle():
        humps = _humps(word)
        parts += humps if len(humps) > 1 else ()
    folded = (part.casefold() for part in parts)
    return tuple(stem(part) for part in folded if len(part) >= MIN_WORD and part not in STOP_WORDS)


def _humps(word: str) -> list[str]:
    """The parts of an identifier: setState is set and State, HTTPServer is HTTP and Server."""
    starts = [0, *(at for at in range(1, len(word)) if _is_hump(word, at)), len(word)]
    return [word[start:end] for start, end in pairwise(starts)]


def _is_hump(word: str, at: int) -> bool:
    """Of ASCII letters: a capital after a small letter or digit, or one after a capital and before two small letters."""
    if not "A" <= word[at] <= "Z":
        return False
    before, after = word[at - 1], word[at + 1 : at + 3]
    if "A" <= before <= "Z":
        return len(after) == 2 and after.isascii() and after.isalpha() and after.islower()
    return "a" <= before <= "z" or "0" <= before <= "9"


def _words(text: str) -> list[str]:
    return text.translate(_SEPARATORS).split()


def _letter_or_space(code: int) -> int:
    return code if chr(code).isalnum() else SPACE


def _script_runs(text: str) -> list[str]:
    """Words, split where CJK and other scripts meet."""
    if text.isascii():
        return _words(text)
    runs: list[str] = []
    for word in _words("".join(normalize("NFKC", piece) for piece in _pieces(text))):
        if word.isascii():
            runs.append(word)
        else:
            runs += _split_at_script_boundaries(word)
    return runs


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces that end in a space if they can: normalizing takes the square of a run of accents."""
    start = 0
    while start < len(text):
        end = start + PIECE
        if end < len(text):
            end = text.rfind(" ", start, end) + 1 or end
        yield text[start:end]
        start = end


def _split_at_script_boundaries(word: str) -> Iterator[str]:
    start = 0
    was_cjk = _is_cjk(word[0])
    for position, character in enumerate(word):
        if _is_cjk(character) != was_cjk:
            yield word[start:position]
            start, was_cjk = position, not was_cjk
    yield word[start:]


def _cjk_tokens(run: str, number: int) -> list[Token]:
    pairs: list[Token] = [(run[at : at + 2], number + at) for at in range(len(run) - 1)]
    singles: list[Token] = [(character, None) for character in run]
    return pairs + singles


def _is_cjk(character: str) -> bool:
    """Kana, Han and Hangul. Comparisons, because a regular expression that names these ranges takes 6 ms to compile."""
    return character >= "\u3005" and (
        character <= "\u30ff"
        or "\u3400" <= character <= "\u9fff"
        or "\uac00" <= character <= "\ud7af"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


_SURFACES = Memo(_surfaces, limit=TEXTS_KEPT)
_SEQUENCES = Memo(_word_sequence, limit=TEXTS_KEPT)
_LATIN_TERMS = Memo(_latin_terms, limit=WORDS_KEPT)
_SEPARATORS = Memo(_letter_or_space, limit=sys.maxunicode + 1)
