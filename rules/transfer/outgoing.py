"""Export: every rule with its evidence, shadow hits and history goes into one JSON document.

Nothing of it is lost on the way back: see records for what a record holds.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import IO, TYPE_CHECKING

from rules.disk import PRIVATE_FILE
from rules.models import Rule
from rules.records import rule_record_with_past
from rules.transfer.document import write_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from rules.transfer.document import TextSink

PAST = ("evidence", "shadow_hits", "history", "challenged")
CHUNK = 500  # rules read at once


def export_rules(file: TextSink, *, now: datetime, ascii_only: bool = False) -> int:
    """Returns how many rules were written; the oldest comes first. ascii_only: for a file in another encoding."""
    rules = Rule.objects.order_by("created_at", "pk").prefetch_related(*PAST)
    records = map(rule_record_with_past, rules.iterator(chunk_size=CHUNK))
    return write_document(records, file, now=now, ascii_only=ascii_only)


@contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """A private file to write that takes its place at the end, so that a failure leaves the older one.

    A pipe or device is written as it is.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as file:
            yield file
        return
    path = path.resolve()  # a link stays one
    new = path.with_name(f"{path.name}.{token_hex(4)}.tmp")
    new.touch(mode=PRIVATE_FILE, exist_ok=False)
    try:
        with new.open("w", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
