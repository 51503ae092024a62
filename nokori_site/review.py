"""One candidate that waits for a person's word, with everything that helps to decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extraction.quote_context import quote_context
from extraction.tools import transcript_roots
from retrieval.nearest import nearest_rules
from rules.models import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extraction.quote_context import Said
    from retrieval.nearest import NearRule
    from rules.disk import DataFolder
    from rules.succession import UnresolvedPair

MOST_NEAR = 3


@dataclass(frozen=True, kw_only=True)
class Review:
    """place: which of the waiting ones it is, from 1 on; following: the short_id of the next one, "" after the last."""

    rule: Rule
    place: int
    waiting: int
    following: str
    session_id: str
    context: Sequence[Said] | None
    nearest: Sequence[NearRule]
    replaces: Sequence[UnresolvedPair]


def review_of(name: str, *, folder: DataFolder) -> Review | None:
    """Of the newest candidate when no name is given; None when that one does not wait (any more)."""
    names = list(Rule.objects.candidates().order_by("-created_at", "short_id").values_list("short_id", flat=True))
    name = name or next(iter(names), "")
    if name not in names:
        return None
    rule, place = Rule.objects.get(short_id=name), names.index(name)
    words = "\n".join([rule.trigger, *rule.variants, rule.action])
    evidence = rule.evidence.exclude(session_id="").order_by("at", "pk").first()
    return Review(
        rule=rule,
        place=place + 1,
        waiting=len(names),
        following=next(iter(names[place + 1 :]), ""),
        session_id=evidence.session_id if evidence else "",
        context=quote_context(rule, roots=transcript_roots()),
        nearest=nearest_rules(words, folder=folder, project_id=rule.project_id, most=MOST_NEAR),
        replaces=list(rule.challenged.select_related("old")),
    )
