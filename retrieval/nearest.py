"""The rules in use that come closest to a text: what somebody wants to see before they accept another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.lexical.packed import Index
from retrieval.lexical.search import search
from retrieval.lexical.segment import IndexUnreadable
from rules.models import Rule

if TYPE_CHECKING:
    from retrieval.lexical.results import Hits
    from rules.disk import DataFolder

FULL_PERCENT = 100
NEAR_SHARE = 0.5  # of the floor


@dataclass(frozen=True, kw_only=True)
class NearRule:
    """percent: its evidence, measured by what a text has to reach to mean the rule; over 100 it would be shown."""

    rule: Rule
    percent: int

    @property
    def bar_percent(self) -> int:
        return min(FULL_PERCENT, self.percent)


def nearest_rules(text: str, *, folder: DataFolder, project_id: str, most: int) -> list[NearRule]:
    """Best first; none when the published files cannot be read."""
    try:
        with Index.open(folder.published) as index:
            hits = _listing(text, index=index, project_id=project_id, most=most)
            found = {hit.document.rule_id: hit.evidence for hit in hits.formal[:most]}
    except IndexUnreadable:
        return []
    rules = {str(key): rule for key, rule in Rule.objects.in_bulk(list(found)).items()}
    return [
        NearRule(rule=rules[rule_id], percent=round(FULL_PERCENT * evidence / hits.floor) if hits.floor else 0)
        for rule_id, evidence in found.items()
        if rule_id in rules
    ]


def _listing(text: str, *, index: Index, project_id: str, most: int) -> Hits:
    """Of all rules only when too few are anywhere near: weighing thousands that share a word takes its time."""
    hits = search(text, index=index, project_id=project_id, floor=NEAR_SHARE * index.floors.short)
    if len(hits.formal) >= most:
        return hits
    return search(text, index=index, project_id=project_id, floor=0.0)
