"""The embed server from outside: how it stands, starting, stopping, and having all rules encoded anew.

Loads neither a model nor numpy: commands, pages and `settle` ask here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.embeddings.known_fields import known_fields
from retrieval.embeddings.record import read_record, update_record
from retrieval.embeddings.singleton import end_hung_server, is_server_there, wait_until_gone
from retrieval.lexical.embed_client import READY, STARTING, ServerMissing, ServerSilent, exchange, read_address

if TYPE_CHECKING:
    from rules.disk import DataFolder

ABSENT, HUNG = "absent", "hung"
LOOK_MS = 1_000  # patience of a page or a command with a server that does not answer
END_SECONDS = 10.0  # for the batch at hand
START_SECONDS = 60.0  # a large model on a busy machine
POLL_SECONDS = 0.1


class ServerNotEnded(Exception):
    """The embed server neither answers nor can be told for certain from other processes."""


class ServerNotStarted(Exception):
    """The embed server did not come up."""


@dataclass(frozen=True, kw_only=True)
class EmbedStatus:
    """How the server stands. `rules` are published, `missing` of them have no vector of this model yet; -1 while that is
    not known. `problem` is one sentence: why it did not start, or what keeps it from encoding rules."""

    state: str  # absent, starting, ready or hung
    pid: int = 0
    version: str = ""
    place: str = ""
    model: str = ""
    dimensions: int = 0
    rules: int = -1
    missing: int = -1
    is_indexing: bool = False
    up_seconds: float = 0.0
    idle_seconds: float = 0.0
    ends_after_seconds: float = 0.0
    problem: str = ""

    @property
    def is_up(self) -> bool:
        return self.state in (READY, STARTING)


def status(folder: DataFolder, *, patience_ms: int = LOOK_MS) -> EmbedStatus:
    """Raises OSError when the data folder cannot be read."""
    try:
        answer = exchange({"ask": "status"}, folder=folder, wait_ms=patience_ms)
    except ServerSilent:
        return _status_of_silent(folder)
    return EmbedStatus(**{"state": HUNG, **_place(folder), **known_fields(EmbedStatus, answer)})


def start(folder: DataFolder, *, spawn: Callable[[DataFolder], bool]) -> bool:
    """Starts one beside this process, and waits for nothing. `spawn` starts `embed serve`; False where starting is
    switched off. Raises OSError."""
    update_record(folder, stopped_at=0.0, problem="", failed_at=0.0, started_at=time.time())
    return spawn(folder)


def wait_until_up(folder: DataFolder, *, seconds: float = START_SECONDS) -> EmbedStatus:
    """Until it is ready or says why it cannot be. Raises ServerNotStarted."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = status(folder)
        if found.state == READY:
            return found
        if found.state == ABSENT and found.problem:
            raise ServerNotStarted(found.problem)
        time.sleep(POLL_SECONDS)
    raise ServerNotStarted(f"The embed server is not ready after {seconds:.0f} s; see logs/embed-server.log.")


def stop(folder: DataFolder) -> bool:
    """Ends the server, by force when it is hung; False when none was there. It stays down until a prompt wants it again.

    Raises ServerNotEnded, OSError.
    """
    was_there = end(folder)
    update_record(folder, stopped_at=time.time())  # now that no server writes it
    return was_there


def end(folder: DataFolder) -> bool:
    """As stop, but the next who wants one may start it."""
    if not is_server_there(folder):
        return False
    try:
        exchange({"ask": "stop"}, folder=folder, wait_ms=LOOK_MS)
    except ServerSilent:
        return _end_by_force(folder)
    return wait_until_gone(folder, seconds=END_SECONDS) or _end_by_force(folder)


def reindex(folder: DataFolder, *, version: str) -> EmbedStatus:
    """Has a server that is ready encode all rules anew. Raises ServerSilent."""
    answer = exchange({"ask": "reindex", "version": version}, folder=folder, wait_ms=LOOK_MS)
    return EmbedStatus(**{"state": HUNG, **known_fields(EmbedStatus, answer)})


def _end_by_force(folder: DataFolder) -> bool:
    if not end_hung_server(folder) and is_server_there(folder):
        raise ServerNotEnded("A process that is not known for certain holds embed.lock; end it by hand.")
    if not wait_until_gone(folder, seconds=END_SECONDS):
        raise ServerNotEnded("The embed server could not be ended; end it by hand.")
    return True


def _status_of_silent(folder: DataFolder) -> EmbedStatus:
    record = read_record(folder)
    if is_server_there(folder):
        return EmbedStatus(state=HUNG, model=record.model_id, **_place(folder))
    return EmbedStatus(state=ABSENT, model=record.model_id, dimensions=record.dimensions, problem=record.problem)


def _place(folder: DataFolder) -> dict[str, Any]:
    try:
        address = read_address(folder)
    except ServerMissing:
        return {}
    pid, port = address.get("pid"), address.get("port")
    return {
        "pid": pid if isinstance(pid, int) else 0,
        "version": str(address.get("version", "")),
        "place": str(address.get("unix") or f"127.0.0.1:{port}"),
    }
