"""Import: a transfer file comes in, the rules in it that are not here yet are written, all of them or none.

The file is read twice, one record at a time: first to see which ids come, then to check and write, in one
transaction. Time is linear in the number of records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import SEEK_END
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

from django.db import transaction

from rules.models import Evidence, Rule, ShadowHit, StatusChange, UnresolvedPair
from rules.refusals import RuleRefused
from rules.short_ids import adopt_many, pick_many
from rules.transfer.dialects import dialect_of
from rules.transfer.document import MAX_BYTES, MAX_RECORDS, RULES, raw_records, read_header
from rules.transfer.records import read_record, settle_successor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from rules.transfer.dialects import Dialect
    from rules.transfer.records import Arrival

Watch: TypeAlias = Callable[[int, int], None]  # (rules written, of how many)

BATCH = 500  # rules written at once


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """What an import did, or with is_trial would do. renamed: of the imported, by the new short_id."""

    source: str
    is_trial: bool
    imported: int
    skipped: int
    renamed: dict[str, str]
    statuses: dict[str, int]
    left_out: list[str]


def unwatched(_done: int, _total: int) -> None:
    """For an import that nobody waits for."""


def import_rules(file: IO[bytes], *, now: datetime, is_trial: bool = False, watch: Watch = unwatched) -> ImportReport:
    """Reads a file that can be rewound. Raises RuleRefused for a file with any wrong record, and writes nothing then."""
    _refuse_too_large(file)
    dialect = dialect_of(read_header(file))
    wanted = _survey(file)
    with transaction.atomic():
        chosen = _choose_short_ids(wanted)
        statuses: Counter[str] = Counter()
        left_out: set[str] = set()
        for batch in _batches(_arrivals(file, dialect, chosen=chosen, now=now)):
            statuses.update(arrival.rule.status for arrival in batch)
            left_out.update(*(arrival.left_out for arrival in batch))
            if not is_trial:
                _write(batch)
            watch(statuses.total(), len(chosen))
    return ImportReport(
        source=dialect.source,
        is_trial=is_trial,
        imported=len(chosen),
        skipped=len(wanted) - len(chosen),
        renamed={old: chosen[id_] for id_, old in wanted.items() if old and chosen.get(id_, old) != old},
        statuses=dict(statuses),
        left_out=sorted(left_out),
    )


def _refuse_too_large(file: IO[bytes]) -> None:
    size = file.seek(0, SEEK_END)
    if size > MAX_BYTES:
        raise RuleRefused(f"The file has {size:,} bytes; {MAX_BYTES:,} are allowed.")
    file.seek(0)


def _survey(file: IO[bytes]) -> dict[UUID, str]:
    """Each rule's id with the short_id that it wants (or ""); what is wrong is for the second reading to refuse."""
    wanted: dict[UUID, str] = {}
    for number, raw in enumerate(_rewound(file)):
        if number == MAX_RECORDS:
            raise RuleRefused(f"The file holds more than {MAX_RECORDS:,} rules.")
        with suppress(AttributeError, TypeError, ValueError):
            wanted[UUID(raw["id"])] = (raw.get("short_id") or "").lower()
    return wanted


def _choose_short_ids(wanted: dict[UUID, str]) -> dict[UUID, str]:
    """A short_id for each rule that is not here yet: its own, or a free one when that clashes or is missing."""
    present = dict(Rule.objects.values_list("id", "short_id"))
    new = {id_: name for id_, name in wanted.items() if id_ not in present}
    adopted = adopt_many(filter(None, new.values()), taken=present.values())
    chosen = {id_: name for name, id_ in {name: id_ for id_, name in new.items()}.items() if name in adopted}
    nameless = {id_.hex: id_ for id_ in new if id_ not in chosen}
    names = pick_many(nameless, taken=[*present.values(), *adopted])
    return chosen | {nameless[digits]: name for digits, name in names.items()}


def _arrivals(file: IO[bytes], dialect: Dialect, *, chosen: dict[UUID, str], now: datetime) -> Iterator[Arrival]:
    """The rules that are new here, under their chosen short ids. Every record of the file is checked."""
    known = {*chosen, *Rule.objects.values_list("id", flat=True)}
    met: set[UUID] = set()
    for number, raw in enumerate(_rewound(file)):
        place = f"{RULES}[{number}]"
        arrival = read_record(raw, place=place, dialect=dialect, now=now)
        if arrival.rule.id in met:
            raise RuleRefused(f"{place}.id is that of an earlier record.")
        met.add(arrival.rule.id)
        if arrival.rule.id in chosen:
            arrival.rule.short_id = chosen[arrival.rule.id]
            settle_successor(arrival, known=known, dialect=dialect)
            yield arrival


def _rewound(file: IO[bytes]) -> Iterator[Any]:
    file.seek(0)
    return raw_records(file)


def _batches(arrivals: Iterator[Arrival]) -> Iterator[list[Arrival]]:
    while batch := list(islice(arrivals, BATCH)):
        yield batch


def _write(batch: Iterable[Arrival]) -> None:
    Rule.objects.bulk_create([arrival.rule for arrival in batch])
    Evidence.objects.bulk_create([row for arrival in batch for row in arrival.evidence])
    ShadowHit.objects.bulk_create([row for arrival in batch for row in arrival.shadow_hits])
    StatusChange.objects.bulk_create([row for arrival in batch for row in arrival.history])
    UnresolvedPair.objects.bulk_create([row for arrival in batch for row in arrival.waits_to_replace])
