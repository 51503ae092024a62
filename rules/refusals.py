"""What can go wrong with a wish about a rule; every message is one sentence for the person who asked."""

from __future__ import annotations


class RuleRefused(Exception):
    """What was asked of a rule is not possible."""


class RuleNotFound(RuleRefused):
    """No rule has that short_id."""


class AmbiguousShortId(RuleRefused):
    """Several rules have a short_id that begins like that."""


class MoveRefused(RuleRefused):
    """A rule cannot go from its status to that one."""
