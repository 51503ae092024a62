"""The reason for a tier, as the search gives it in English > the same in the reader's language, with its numbers.

The sentences are those of retrieval.lexical.tiers and search with a name in place of each number: %(n1)s, %(n2)s, …
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_noop

if TYPE_CHECKING:
    from re import Match

_ = gettext_noop
NUMBER = re.compile(r"\d+(?:\.\d+)?%?")
EXCLUDED = re.compile(r'^the prompt holds "(.*)", which this rule excludes$', re.DOTALL)
REASONS = (
    _("dismissed a moment ago"),
    _("evidence %(n1)s is under the floor of %(n2)s"),
    _("one matched word is not enough, unless it is a whole variant, search term or trigger"),
    _("words and meaning reach %(n1)s of the floor"),
    _("one matched word is not enough where the meaning is another"),
    _("enough evidence, place %(n1)s"),
    _("enough evidence, but only the first %(n1)s are shown"),
    _("best, but not %(n1)s times the second (%(n2)s to %(n3)s)"),
    _("best, but its evidence is %(n1)s times the floor and not %(n2)s"),
    _("best, but too little of its trigger or of one variant is in the prompt (%(n1)s)"),
    _("dormant: would be HOT, wakes up with this match"),
    _("clearly the best, %(n1)s of its trigger or of one variant is in the prompt"),
)
WITH_PHRASE = _("the prompt holds “%(phrase)s”, which this rule excludes")


def in_readers_language(reason: str) -> str:
    """A reason that nobody translated is left as it is."""
    if excluded := EXCLUDED.match(reason):
        return gettext(WITH_PHRASE) % {"phrase": excluded[1]}
    numbers: dict[str, str] = {}

    def name(found: Match[str]) -> str:
        numbers[f"n{len(numbers) + 1}"] = found[0]
        return f"%(n{len(numbers)})s"

    sentence = NUMBER.sub(name, reason)
    return gettext(sentence) % numbers if sentence in REASONS else reason
