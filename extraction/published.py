"""How far which transcripts are extracted > published/transcripts.json, for the session-start hook, which reads no database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from extraction.models import TranscriptState
from rules.disk import write_atomic

if TYPE_CHECKING:
    from rules.disk import DataFolder

FILE = "transcripts.json"
FORMAT = 1
MAX_LISTED = 500  # the latest; a session's predecessor is among them


def publish_transcripts(folder: DataFolder) -> bool:
    """Writes the file when its content has changed. Raises OSError."""
    latest = TranscriptState.objects.order_by("-extracted_at")[:MAX_LISTED]
    offsets = dict(latest.values_list("transcript_path", "offset"))
    data = json.dumps({"format": FORMAT, "offsets": offsets}, sort_keys=True).encode()
    path = Path(folder.published) / FILE
    if path.is_file() and path.read_bytes() == data:
        return False
    write_atomic(str(path), data)
    return True
