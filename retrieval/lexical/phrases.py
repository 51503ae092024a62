"""What a prompt holds of a rule's own phrases: trigger, variants, search terms, excludes."""

from __future__ import annotations

from retrieval.lexical.tokens import count_words, tokenize, word_sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from retrieval.lexical.results import Document


def coverage(document: Document, present: Container[str], *, idf: Callable[[str], float]) -> float:
    """The largest share of the idf of the trigger, its Chinese twin or one variant that these terms make up."""
    phrases = (document.trigger, document.trigger_zh, *document.variants)
    return max(_covered_share(phrase, present, idf=idf) for phrase in phrases)


def longest_whole_phrase(phrases: Iterable[str], present: Container[str]) -> int:
    """How many separate words the longest phrase has whose terms are all present; 0 when none is whole."""
    return max((_words_if_whole(phrase, present) for phrase in phrases), default=0)


def occurs(phrase: str, text: str) -> bool:
    """Whether the words of the phrase follow one another in the text; inflected forms count as the same word."""
    words = word_sequence(phrase)
    return words in word_sequence(text) if words.strip() else bool(phrase.strip()) and phrase.strip() in text


def _covered_share(phrase: str, present: Container[str], *, idf: Callable[[str], float]) -> float:
    idfs = {term: idf(term) for term, _ in tokenize(phrase)}
    total = sum(idfs.values())
    return sum(weight for term, weight in idfs.items() if term in present) / total if total else 0.0


def _words_if_whole(phrase: str, present: Container[str]) -> int:
    tokens = tokenize(phrase)
    if not all(term in present for term, _ in tokens):
        return 0
    return count_words({number for _, number in tokens if number is not None})
