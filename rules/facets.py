"""How many rules each further filter of a list would leave: a wish in, counts by status, type, scope and project out.

Each facet counts under all other filters of the wish, so that a count says what a click on it shows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rules.lifecycle import Scope, SourceType, Status
from rules.selection import RuleWish, select_rules

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PROJECTS = 12  # offered as chips; the search finds the others
COLUMNS = ("status", "source_type", "project_scope", "project_id")
NO_FILTER = {"status": "", "source_type": "", "scope": "", "project_id": ""}


@dataclass(kw_only=True)
class Facets:
    """`found` rules fit the whole wish."""

    found: int = 0
    statuses: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, Status), 0))
    source_types: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, SourceType), 0))
    scopes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, Scope), 0))
    projects: dict[str, int] = field(default_factory=dict)


def count_facets(wish: RuleWish) -> Facets:
    wished = (wish.status, wish.source_type, wish.scope, wish.project_id)
    facets = Facets()
    counters = (facets.statuses, facets.source_types, facets.scopes, facets.projects)
    for words, number in _counts(replace(wish, **NO_FILTER)):
        misses = [place for place, word in enumerate(words) if wished[place] not in ("", word)]
        facets.found += 0 if misses else number
        for place, counter in enumerate(counters):
            if misses in ([], [place]):
                counter[words[place]] = counter.get(words[place], 0) + number
    return facets


def _counts(wish: RuleWish) -> Iterable[tuple[tuple[str, ...], int]]:
    """How many rules each combination of words has. Rules that hold a text are counted here: to group them, a database
    walks along the index of these columns, and looks into every rule for the text on the way.
    """
    rules = select_rules(wish)
    if wish.text:
        return Counter(rules.order_by().values_list(*COLUMNS)).items()
    return [(tuple(words), number) for *words, number in rules.counted_by(*COLUMNS)]


def offered_projects(facets: Facets, chosen: str) -> list[tuple[str, int]]:
    """The projects with most rules, and the chosen one in any case."""
    by_size = sorted(facets.projects.items(), key=lambda project: (-project[1], project[0]))
    offered = [(name, number) for name, number in by_size if name and name != chosen]
    first = [(chosen, facets.projects.get(chosen, 0))] if chosen else []
    return [*first, *offered[: MOST_PROJECTS - len(first)]]
