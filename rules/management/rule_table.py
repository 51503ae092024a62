"""`list` on a terminal: one row a rule, as wide as the terminal. Rich is imported only for this."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules.lifecycle import Status
from rules.management.rule_text import where

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.models import Rule

STYLES = {Status.ACTIVE: "green", Status.CANDIDATE: "yellow", Status.DORMANT: "cyan"}
HEADINGS = ("short_id", "status", "type", "conf.", "hits", "scope", "when", "then")
MAX_WORDS = 300  # characters of a cell; `show` has the rest


def list_table(rules: Iterable[Rule], *, width: int) -> str:
    table = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold")
    for rule in rules:
        table.add_row(*map(Text, _cells(rule)), style=STYLES.get(Status(rule.status), "dim"))
    screen = Console(file=StringIO(), force_terminal=True, width=width)
    with screen.capture() as captured:
        screen.print(table)
    return captured.get().rstrip("\n")


def _cells(rule: Rule) -> tuple[str, ...]:
    words = (" ".join(text.split())[:MAX_WORDS] for text in (rule.trigger, rule.action))
    return rule.short_id, rule.status, rule.source_type, rule.confidence, str(rule.hit_count), where(rule), *words
