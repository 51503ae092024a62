"""Rules in the database > the index files that hooks, commands and pages read.

A change reaches the files right after its commit, as a delta over the base or as a new base. Which rules changed
since the base stands in the database, so whoever publishes next publishes everybody's changes, whatever became of
the process that made them. Files are replaced whole: a reader, or a kill at any point, sees the old or the new one,
and a file that lags behind is told by its change counter.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import DatabaseError
from filelock import FileLock

from retrieval.calibration import background, calibrate
from retrieval.documents import count_published, documents_of, published_documents
from retrieval.lexical.packed import BASE_FILE, DELTA_FILE, Index
from retrieval.lexical.packing import pack, pack_delta, with_floors
from retrieval.lexical.results import Floors
from retrieval.lexical.segment import DAMAGE, DAMAGED, IndexUnreadable
from rules.disk import PRIVATE_FILE, make_folder, remove_file, write_atomic
from rules.pool import calibrated_at, changed_since, count_changed_since, pool_counter, remember_calibration

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

MAX_DELTA = 1_024  # changed rules; a search reads a delta beside the base, and a base is soon as cheap to write
TIDY_DELTA = 256  # changed rules that `settle` leaves in a delta
OLD_FLOORS_SHARE = 0.05  # of the rules changed since floors were computed: `settle` computes new ones
OUTGROWN_SHARE = 0.25  # more or fewer rules than floors were computed for: no change waits for `settle` then
LOCK_SECONDS = 2.0  # patience of one who changed a rule
TIDY_LOCK_SECONDS = 30.0
MAX_ROUNDS = 20  # of publishing what others changed meanwhile
UNKNOWN_FLOORS = Floors(short=1e9, long=1e9, rule_count=0)  # nothing passes: silence is better than noise

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PublishedState:
    """What hooks read at present; `problem` is one sentence when they cannot."""

    is_fresh: bool
    rules: int = 0
    delta_size: int = 0
    change_counter: int = 0
    changed_share: float = 1.0  # of the rules, since the floors were computed
    problem: str = ""


def publish_after_commit() -> None:
    """Publishes what was committed. Where that fails the change stands, and the next to publish makes up for it."""
    try:
        publish_changes()
    except (OSError, DatabaseError) as error:
        if is_stale():
            logger.warning("Saved, but hooks see it only after the next `settle`: %s", error)


def publish_changes() -> None:
    """Brings the files up to the database. Raises OSError (a lock that stays taken is one) or DatabaseError."""
    with _lock(LOCK_SECONDS):
        _catch_up()


def publish_all(*, calibrate: bool) -> None:
    """Writes the base anew; without calibrate it keeps the floors it has. Raises OSError or DatabaseError."""
    with _lock(TIDY_LOCK_SECONDS):
        _write_base(None if calibrate else _present_floors() or UNKNOWN_FLOORS)
        _catch_up()


def tidy() -> bool:
    """What `settle` does: publish what is missing, fold a large delta into the base, compute old floors anew.

    False when there was nothing to do. Raises OSError or DatabaseError.
    """
    if _is_tidy(published_state()):
        return False
    with _lock(TIDY_LOCK_SECONDS):
        _catch_up()
        state = published_state()
        if not _is_tidy(state):
            _write_base(None if state.changed_share > OLD_FLOORS_SHARE else _present_floors())
            _catch_up()
    return True


def is_stale() -> bool:
    """Whether the files lack a committed change, or cannot be read."""
    try:
        with _open_index() as index:
            return not _is_fresh(index)
    except IndexUnreadable:
        return True


def published_state() -> PublishedState:
    """Looks into every corner of the files, which a search does not."""
    try:
        with _open_index() as index:
            if not index.is_intact():
                return PublishedState(is_fresh=False, problem=DAMAGED)
            return PublishedState(
                is_fresh=_is_fresh(index),
                rules=index.rule_count,
                delta_size=len(index.delta_rule_ids | index.removed_rule_ids),
                change_counter=index.change_counter,
                changed_share=_changed_share(index),
            )
    except IndexUnreadable as error:
        return PublishedState(is_fresh=False, problem=str(error))


def _is_tidy(state: PublishedState) -> bool:
    return state.is_fresh and state.delta_size <= TIDY_DELTA and state.changed_share <= OLD_FLOORS_SHARE


def _catch_up() -> None:
    """Publishes until nothing is missing. One who waited in vain for the lock relies on that last look."""
    for _ in range(MAX_ROUNDS):
        if not is_stale():
            return
        if not _write_delta():
            _write_base(_fitting(_present_floors()))


def _write_delta() -> bool:
    """Writes what changed since the base; False when that takes a new base."""
    counter = pool_counter()  # first: of what is committed from here on, some may get written, and none is missed
    try:
        with _open_index() as index:
            changed = changed_since(index.base.change_counter, most=MAX_DELTA + 1)
            if len(changed) > MAX_DELTA or not _belongs(index) or not _fitting(index.floors):
                return False
            data = _delta(changed, base=index, counter=counter)
    except (IndexUnreadable, *DAMAGE):
        return False
    write_atomic(_path(DELTA_FILE), data, durable=True)
    return True


def _delta(changed: Collection[UUID], *, base: Index, counter: int) -> bytes:
    documents = documents_of(changed)
    gone = {str(rule_id) for rule_id in changed}.difference(document.rule_id for document in documents)
    removed = frozenset(rule_id for rule_id in gone if base.base.find_rule(rule_id) is not None)
    return pack_delta(documents, base=base, removed=removed, change_counter=counter)


def _write_base(floors: Floors | None) -> None:
    """Writes all rules; None has floors computed for them."""
    counter = pool_counter()
    data = pack(published_documents(), background=background(), floors=floors or UNKNOWN_FLOORS, change_counter=counter)
    if floors is None:
        with Index.from_bytes(data) as index:
            data = with_floors(data, calibrate(index))
    write_atomic(_path(BASE_FILE), data, durable=True)
    remove_file(_path(DELTA_FILE))
    if floors is None:
        remember_calibration(counter)
    _remove_leftovers()


def _present_floors() -> Floors | None:
    """The published floors; None when there are none for this database."""
    try:
        with _open_index() as index:
            return index.floors if _belongs(index) else None
    except IndexUnreadable:
        return None


def _is_fresh(index: Index) -> bool:
    return _belongs(index) and index.change_counter == pool_counter()


def _belongs(index: Index) -> bool:
    """Whether the base was made from this database, which remembers every change since."""
    return calibrated_at() <= index.base.change_counter <= pool_counter()


def _changed_share(index: Index) -> float:
    if index.calibrated_rule_count == 0:
        return float(index.rule_count > 0)
    return count_changed_since(calibrated_at()) / index.calibrated_rule_count


def _fitting(floors: Floors | None) -> Floors | None:
    """The floors, unless the pool has outgrown them."""
    if floors is None or abs(count_published() - floors.rule_count) > OUTGROWN_SHARE * floors.rule_count:
        return None
    return floors


def _remove_leftovers() -> None:
    """Temporary files of publishers that were killed; who holds the lock knows that no other is at work."""
    for pattern in (f"{BASE_FILE}.*.tmp", f"{DELTA_FILE}.*.tmp"):
        for path in Path(settings.NOKORI_FOLDER.published).glob(pattern):
            remove_file(str(path))


def _open_index() -> Index:
    return Index.open(settings.NOKORI_FOLDER.published)


def _path(name: str) -> str:
    return str(Path(settings.NOKORI_FOLDER.published) / name)


def _lock(seconds: float) -> FileLock:
    folder = settings.NOKORI_FOLDER
    make_folder(folder.root)
    return FileLock(folder.publish_lock, timeout=seconds, mode=PRIVATE_FILE)
