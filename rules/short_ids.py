"""Short ids: the first hex digits of a rule's id, at least six, such that none is the beginning of another.

In: full ids and the short ids that are taken. Out: free ones. In sorted order only the two neighbours of an id can
stand in its way, so one id costs two look-ups and many cost one pass over the sorted list.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from django.db.models import QuerySet

    from rules.models import Rule

    Names: TypeAlias = QuerySet[Rule, str]  # the taken short ids

MIN_LENGTH = 6
MAX_LENGTH = 32


def free_prefix(full: str, *, before: str | None, after: str | None) -> str | None:
    """The shortest free beginning of `full` between its sorted neighbours; None when one of them is its beginning."""
    length = MIN_LENGTH
    for neighbour in (before, after):
        if neighbour is None:
            continue
        if full.startswith(neighbour):
            return None
        length = max(length, _shared_length(full, neighbour) + 1)
    return full[:length]


def pick(full: str, names: Names) -> str:
    """A free short id for one new rule; digits of a fresh id when the rule's own are all taken."""
    while True:
        before = names.filter(short_id__lte=full).order_by("-short_id").first()
        after = names.filter(short_id__gt=full).order_by("short_id").first()
        chosen = free_prefix(full, before=before, after=after)
        if chosen is not None:
            return chosen
        full = uuid4().hex


def name_many(rules: Sequence[Rule], names: Names) -> None:
    """Gives each rule that has no short id yet a free one."""
    nameless = {rule.id.hex: rule for rule in rules if not rule.short_id}
    if nameless:
        taken = {*names, *(rule.short_id for rule in rules)} - {""}
        for full, short_id in pick_many(nameless, taken=taken).items():
            nameless[full].short_id = short_id


def adopt_many(wanted: Iterable[str], *, taken: Collection[str]) -> set[str]:
    """The wanted short ids that can be used as they are: beside the taken ones and each other, none begins another.

    Of two wanted ones that clash the shorter stays.
    """
    adopted: set[str] = set()
    fixed = sorted(taken)
    last = ""
    for name in sorted(set(wanted).difference(fixed)):
        place = bisect_left(fixed, name)
        after = fixed[place] if place < len(fixed) else ""
        before = max(last, fixed[place - 1] if place else "")
        if not after.startswith(name) and not (before and name.startswith(before)):
            adopted.add(name)
            last = name
    return adopted


def pick_many(fulls: Iterable[str], *, taken: Collection[str]) -> dict[str, str]:
    """A free short id for each of many distinct new ids, in one merge of two sorted lists."""
    chosen: dict[str, str] = {}
    wanted = {full: full for full in fulls}  # digits to take from -> the id they are for
    while wanted:
        found = _merge(sorted(wanted), taken=sorted([*taken, *chosen.values()]))
        chosen.update({wanted[digits]: short_id for digits, short_id in found.items()})
        wanted = {uuid4().hex: full for digits, full in wanted.items() if digits not in found}
    return chosen


def _merge(fulls: list[str], *, taken: list[str]) -> dict[str, str]:
    """Free prefixes of sorted ids beside sorted short ids; an id that has none is left out."""
    found: dict[str, str] = {}
    before: str | None = None
    place = 0
    for full in fulls:
        while place < len(taken) and taken[place] <= full:
            before = max(before or "", taken[place])
            place += 1
        after = taken[place] if place < len(taken) else None
        prefix = free_prefix(full, before=before, after=after)
        if prefix is not None:
            found[full] = before = prefix
    return found


def _shared_length(one: str, other: str) -> int:
    """How many first characters two strings, neither the beginning of the other, have in common."""
    return next(place for place, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
