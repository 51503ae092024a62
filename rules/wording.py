"""Counts in words, for every line that a person reads. Pure."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """ "1 rule", "1,200 rules": English, and nouns whose plural takes an s."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
