"""Whether two rules say nearly the same: the share of words that their triggers and actions have in common.

overlap = words of both / words of either; variants and search terms do not count
"""

from __future__ import annotations

from retrieval.lexical.tokens import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from retrieval.lexical.results import Document

NEARLY_THE_SAME = 0.75  # three words of four; rules on one matter with different advice share about half


class Chosen:
    """The rules that one prompt gets so far; the words of each are cut once."""

    def __init__(self) -> None:
        self._words: list[tuple[Document, frozenset[str]]] = []

    def twin_of(self, document: Document) -> Document | None:
        """The chosen rule that makes this one superfluous; a sleeping rule never does so to an active one.

        Without one, this rule is chosen from now on.
        """
        words = words_of(document)
        for other, others_words in self._words:
            is_awake = other.status == "active" or document.status != "active"
            if is_awake and overlap(words, others_words) >= NEARLY_THE_SAME:
                return other
        self._words.append((document, words))
        return None


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def words_of(document: Document) -> frozenset[str]:
    texts = (document.trigger, document.action, document.trigger_zh, document.action_zh)
    return frozenset(term for text in texts for term, _ in tokenize(text))
