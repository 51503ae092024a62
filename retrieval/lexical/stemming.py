"""The stem of a Latin word, by Porter2; without the stemmer's package a word is its own stem."""

from __future__ import annotations

try:
    import Stemmer
except ImportError:
    Stemmer = None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _stem_nothing(word: str) -> str:
    return word


def _stem_none_of(words: Sequence[str]) -> Sequence[str]:
    return words


if Stemmer is None:
    STEMMER_ID = ""
    stem = _stem_nothing
    stem_all = _stem_none_of
else:
    _porter2 = Stemmer.Stemmer("english", 0)
    STEMMER_ID = f"+porter2-{Stemmer.version()}"
    stem = _porter2.stemWord
    stem_all = _porter2.stemWords
