"""Rules that somebody dismissed: what they were about is not learned again.

A candidate counts as dismissed before when it rests on the same words of the person as an archived rule, or when its
trigger and action share at least SAME_SHARE of their terms with one's (shared / all).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extraction.quotes import plain
from retrieval.lexical.tokens import tokenize
from rules.lifecycle import Status
from rules.models import Rule

if TYPE_CHECKING:
    from extraction.candidates import Candidate

SAME_SHARE = 0.85  # the original's measure for archived fingerprints


class DismissedRules:
    """What was archived for a project or for all, as a test on candidates."""

    def __init__(self, project_id: str) -> None:
        archived = Rule.objects.visible_in(project_id).filter(status=Status.ARCHIVED)
        rows = list(archived.values_list("trigger", "action", "quote"))
        self._fingerprints = [fingerprint(trigger, action) for trigger, action, _ in rows]
        self._quotes = {plain(quote) for _, _, quote in rows} - {""}

    def hold(self, candidate: Candidate) -> bool:
        if plain(candidate.quote) in self._quotes:
            return True
        own = fingerprint(candidate.trigger, candidate.action)
        return any(is_same(own, other) for other in self._fingerprints)


def fingerprint(trigger: str, action: str) -> frozenset[str]:
    return frozenset(term for term, _ in tokenize(f"{trigger}\n{action}"))


def is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= SAME_SHARE * len(one | other)
