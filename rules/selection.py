"""A wish about rules > the rules that fit it, in the wished order: what the Rules page and the API list.

`text` is looked for in trigger, action and their Chinese twins, and as the beginning of a short_id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q

from rules.models import Rule

if TYPE_CHECKING:
    from rules.models import RuleQuerySet

NEWEST = "-updated_at"
SORTS = (
    NEWEST,
    "updated_at",
    "-created_at",
    "created_at",
    "-hit_count",
    "hit_count",
    "-last_hit",
    "last_hit",
    "trigger",
)
SEARCHED = ("trigger", "action", "trigger_zh", "action_zh")


@dataclass(frozen=True, kw_only=True)
class RuleWish:
    """An empty field wishes nothing; `sort` is one of SORTS."""

    text: str = ""
    status: str = ""
    source_type: str = ""
    scope: str = ""
    project_id: str = ""
    sort: str = NEWEST


def select_rules(wish: RuleWish) -> RuleQuerySet:
    columns = {
        "status": wish.status,
        "source_type": wish.source_type,
        "project_scope": wish.scope,
        "project_id": wish.project_id,
    }
    rules = Rule.objects.filter(**{column: value for column, value in columns.items() if value})
    if wish.text:
        rules = rules.filter(_says(wish.text.strip()))
    return rules.order_by(wish.sort, "short_id")


def _says(text: str) -> Q:
    found = Q(short_id__startswith=text.lower())
    for column in SEARCHED:
        found |= Q(**{f"{column}__icontains": text})
    return found
