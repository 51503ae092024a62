"""What the embed server wrote down last, for those who look while it does not run: its model, how far the index is, and
why it could not start."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.embeddings.known_fields import known_fields
from rules.disk import write_atomic

if TYPE_CHECKING:
    from rules.disk import DataFolder


@dataclass(frozen=True, kw_only=True)
class Record:
    """Times are seconds since 1970, 0 for never. `counter` is the change counter that the vectors are complete up to;
    `problem` is one sentence, empty while all is well."""

    model_id: str = ""
    dimensions: int = 0
    counter: int = -1
    started_at: float = 0.0
    stopped_at: float = 0.0
    failed_at: float = 0.0
    problem: str = ""


def read_record(folder: DataFolder) -> Record:
    """An empty one when there is none, or when it cannot be read."""
    try:
        content = json.loads(Path(folder.embed_record).read_bytes())
    except (OSError, ValueError):
        return Record()
    return Record(**known_fields(Record, content)) if isinstance(content, dict) else Record()


def update_record(folder: DataFolder, **changes: Any) -> None:
    """Raises OSError."""
    record = replace(read_record(folder), **changes)
    write_atomic(folder.embed_record, json.dumps(asdict(record)).encode())
