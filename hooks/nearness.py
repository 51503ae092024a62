"""What the embed server finds near a prompt, for a person who asks: the hook's own question, with more patience.

Without an answer the reason is one word: off, few (too few rules to be on by itself), none (no model), or the server's state.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooks.hot.embedding import is_on
from hooks.hot.published import NO_BACKEND, load_published
from retrieval.lexical.embed_client import (
    ServerFailed,
    ServerLate,
    ServerMissing,
    ServerSilent,
    ServerStale,
    ServerStarting,
    ask,
)
from rules.fields import OFF

if TYPE_CHECKING:
    from retrieval.lexical.packed import Index
    from retrieval.lexical.results import DenseAnswer
    from rules.disk import DataFolder

PATIENCE_MS = 1_000  # a page may wait longer than a hook
STATES = {
    ServerMissing: "missing",
    ServerLate: "late",
    ServerStarting: "starting",
    ServerStale: "stale",
    ServerFailed: "failed",
}


@dataclass(frozen=True, kw_only=True)
class Nearness:
    """Either an answer, or why there is none."""

    answer: DenseAnswer | None = None
    why_not: str = ""


def look_near(words: str, *, folder: DataFolder, index: Index, project_id: str, by_words_alone: bool) -> Nearness:
    published = load_published(folder, environ=os.environ)
    if by_words_alone or published.settings.embed_enabled == OFF:
        return Nearness(why_not="off")
    if published.embed_backend == NO_BACKEND:
        return Nearness(why_not="none")
    if not is_on(published, index=index, project_id=project_id):
        return Nearness(why_not="few")
    if not words:
        return Nearness(why_not="off")
    try:
        return Nearness(
            answer=ask(words, folder=folder, project_id=project_id, version=published.version, wait_ms=PATIENCE_MS)
        )
    except ServerSilent as silent:
        return Nearness(why_not=STATES.get(type(silent), "failed"))
