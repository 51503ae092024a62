"""Tombstones of rules that were retired in a chat > gone, once the rows and the published files silence them too.

A tombstone is named by its rule's short_id. It stands for the dismissal until the note of that is filed, and takes the
note's place when that was lost; when the rule is archived anyway, or was taken back since, only the tombstone goes.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.db.models import Q

from retrieval.publish import is_stale
from rules.authoring import dismiss_rule
from rules.disk import remove_file
from rules.lifecycle import Mover, Status
from rules.models import Rule

if TYPE_CHECKING:
    from rules.disk import DataFolder

NOTE_IS_LOST_AFTER = timedelta(minutes=1)  # a hook leaves it within two seconds of the tombstone, or was killed


def clear_tombstones(folder: DataFolder, *, now: datetime) -> int:
    """Returns how many went. Raises DatabaseError, or OSError when the disk refuses."""
    buried = _buried(folder)
    rules = Rule.objects.filter(short_id__in=buried).in_bulk(field_name="short_id")
    for short_id, path in buried.items():
        rule = rules.get(short_id)
        if rule is not None and now - _buried_at(path) > NOTE_IS_LOST_AFTER and not _is_settled(rule, path):
            dismiss_rule(rule, by=Mover.CHAT, now=now)
    spent = [path for short_id, path in buried.items() if short_id not in rules or _is_settled(rules[short_id], path)]
    if not spent or is_stale():
        return 0
    return sum(remove_file(str(path)) for path in spent)


def _buried(folder: DataFolder) -> dict[str, Path]:
    tombstones = Path(folder.tombstones)
    if not tombstones.is_dir():
        return {}
    return {path.name: path for path in tombstones.iterdir() if path.suffix != ".tmp"}


def _is_settled(rule: Rule, path: Path) -> bool:
    """Whether the rule is retired, or was retired or taken back since the person said it."""
    if rule.status == Status.ARCHIVED:
        return True
    moves = rule.history.filter(at__gte=_buried_at(path))
    return moves.filter(Q(to_status=Status.ARCHIVED) | Q(from_status=Status.ARCHIVED)).exists()


def _buried_at(path: Path) -> datetime:
    """The whole second in which the person said it; the file's own time when its content is damaged."""
    try:
        return datetime.fromtimestamp(int(json.loads(path.read_bytes())["at"]), UTC)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
