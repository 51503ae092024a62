"""Whether two rules say nearly the same: the share of words that their triggers and actions have in common.

overlap = words of both / words of either; variants and search terms do not count
"""

from __future__ import annotations

from retrieval.lexical.tokens import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from retrieval.lexical.results import Document, Hit

NEARLY_THE_SAME = 0.75  # three words of four; rules on one matter with different advice share about half


def overlap(one: Document, other: Document) -> float:
    first, second = _words(one), _words(other)
    return len(first & second) / len(first | second) if first and second else 0.0


def twin_of(hit: Hit, chosen: Iterable[Hit]) -> Hit | None:
    """The chosen rule that makes this one superfluous; a sleeping rule never does so to an active one."""
    for other in chosen:
        is_awake = other.document.status == "active" or hit.document.status != "active"
        if is_awake and overlap(hit.document, other.document) >= NEARLY_THE_SAME:
            return other
    return None


def _words(document: Document) -> frozenset[str]:
    texts = (document.trigger, document.action, document.trigger_zh, document.action_zh)
    return frozenset(term for text in texts for term, _ in tokenize(text))
