"""Encoding all rules anew by the embed server, which is started for it: prompts go on with the old vectors meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nokori_site.version import VERSION
from retrieval.embeddings import control
from retrieval.lexical.embed_client import ServerSilent

if TYPE_CHECKING:
    from collections.abc import Callable

    from retrieval.embeddings.control import EmbedStatus
    from rules.disk import DataFolder

LOOK_SECONDS = 0.2
PATIENCE_MS = 10_000  # with a server that is at work on a busy machine


class ReindexFailed(Exception):
    """The rules could not all be encoded; those that were keep their new vectors."""


def reindex(
    folder: DataFolder, *, spawn: Callable[[DataFolder], bool], watch: Callable[[int, int], None]
) -> EmbedStatus:
    """`watch` is told how many rules are done, and of how many. Raises ReindexFailed, ServerNotStarted, OSError."""
    found = control.status(folder)
    if found.state == control.HUNG:
        raise ReindexFailed("The embed server does not answer; run `embed stop`, then this again.")
    if not found.is_up or found.version != VERSION:
        control.end(folder)
        if not control.start(folder, spawn=spawn):
            raise ReindexFailed("No process can be started here, and no embed server runs.")
    control.wait_until_up(folder)
    try:
        control.reindex(folder, version=VERSION)
    except ServerSilent as error:
        raise ReindexFailed(f"The embed server cannot be asked: {error}.") from error
    return _wait_until_done(folder, watch=watch)


def _wait_until_done(folder: DataFolder, *, watch: Callable[[int, int], None]) -> EmbedStatus:
    while True:
        found = control.status(folder, patience_ms=PATIENCE_MS)
        if not found.is_up:
            raise ReindexFailed("The embed server ended; what it had encoded is kept. Run this again.")
        if found.problem:
            raise ReindexFailed(found.problem)
        watch(found.rules - found.missing, found.rules)
        if not found.is_indexing:
            return found
        time.sleep(LOOK_SECONDS)
