"""What can go wrong with a wish about a rule; every message is one sentence for the person who asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def gettext_noop(sentence: str) -> str:
    """Marks a sentence for the translators where Django's own mark may not be imported."""
    return sentence


OR = gettext_noop("or")


class RuleRefused(Exception):
    """What was asked of a rule is not possible.

    `sentence` may have places such as %(name)s for the `facts`, so that a page can say it in the reader's language; a tuple
    is a choice of words.
    """

    def __init__(self, sentence: str, **facts: object) -> None:
        self.sentence = sentence
        self.facts = facts
        super().__init__(self.said(str))

    def said(self, translate: Callable[[str], str]) -> str:
        """The sentence, by what is to translate it and each fact that is a text."""
        facts = {name: _fact(fact, translate) for name, fact in self.facts.items()}
        return translate(self.sentence) % facts if facts else translate(self.sentence)


def _fact(fact: object, translate: Callable[[str], str]) -> object:
    if isinstance(fact, tuple):
        return f" {translate(OR)} ".join(map(translate, fact))
    return translate(fact) if isinstance(fact, str) and fact else fact


class RuleNotFound(RuleRefused):
    """No rule has that short_id."""


class AmbiguousShortId(RuleRefused):
    """Several rules have a short_id that begins like that."""


class MoveRefused(RuleRefused):
    """A rule cannot go from its status to that one."""
