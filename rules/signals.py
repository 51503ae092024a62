"""The one signal between apps: `pool_changed(rule_ids: frozenset[str])`, sent after commit.

However many rules one transaction changes, and in however many steps, receivers hear of them once. A transaction
that is rolled back says nothing. A receiver that fails is logged: the change itself stands already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.dispatch import Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.backends.base.base import BaseDatabaseWrapper

pool_changed = Signal()


class _Announcement:
    """The rules changed so far in one open transaction; called when that commits.

    Only the connection's list of commit hooks holds it: when a rollback drops the hook, the announcement is gone,
    and the next change starts a new one.
    """

    __slots__ = ("__weakref__", "is_sent", "rule_ids")

    def __init__(self, rule_ids: Iterable[str]) -> None:
        self.rule_ids = set(rule_ids)
        self.is_sent = False

    def __call__(self) -> None:
        self.is_sent = True
        pool_changed.send_robust(sender=None, rule_ids=frozenset(self.rule_ids))


_open: WeakKeyDictionary[BaseDatabaseWrapper, ref[_Announcement]] = WeakKeyDictionary()


def announce(rule_ids: Iterable[str]) -> None:
    """Has these rules named in the signal of the current transaction; outside of one it is sent at once."""
    connection = connections[DEFAULT_DB_ALIAS]
    reference = _open.get(connection)
    announcement = reference() if reference else None
    if announcement is not None and not announcement.is_sent:
        announcement.rule_ids.update(rule_ids)
        return
    announcement = _Announcement(rule_ids)
    _open[connection] = ref(announcement)
    transaction.on_commit(announcement)
