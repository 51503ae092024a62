"""A question to the embed server: its address file and a prompt in, the rules near that prompt out, in bounded time.

No address file, no server: that look is all it costs then. The file names a Unix socket, or a port of this machine with
a token; only this user can read it.
"""

from __future__ import annotations

import json
import time

from retrieval.lexical.embed_frames import MAX_ANSWER, FrameUnreadable, pack_frame, read_frame
from retrieval.lexical.results import DenseAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from typing import Any  # what another process sent, until it is checked

    from rules.disk import DataFolder

LOCAL_WAIT_MS, REMOTE_WAIT_MS = 120, 350  # README "Configuration": hook_embed_wait_ms = 0
MAX_ASKED = 8_000  # characters: of a longer prompt its two ends, more than a model reads
READY, STARTING, STALE = "ready", "starting", "stale"


class ServerSilent(Exception):
    """The embed server gave no answer that can be used; the prompt is matched by its words alone."""


class ServerMissing(ServerSilent):
    """No embed server runs."""


class ServerLate(ServerSilent):
    """The embed server did not answer in time."""


class ServerStarting(ServerSilent):
    """The embed server runs, and its model is still being loaded."""


class ServerStale(ServerSilent):
    """The embed server is of another version and ends now."""


class ServerFailed(ServerSilent):
    """The embed server runs, and could not work out an answer."""


def ask(prompt: str, *, folder: DataFolder, project_id: str, version: str, wait_ms: int) -> DenseAnswer:
    """The rules near the prompt, for each pool of this project. Raises ServerSilent."""
    question = {
        "ask": "near",
        "prompt": clip_ends(prompt),
        "project": project_id,
        "version": version,
        "wait_ms": wait_ms,
    }
    answer = exchange(question, folder=folder, wait_ms=wait_ms)
    state = answer.get("state")
    if state == STARTING:
        raise ServerStarting("its model is being loaded")
    if state == STALE:
        raise ServerStale("it is of another version")
    if state != READY:
        raise ServerFailed(str(answer.get("problem") or "it could not answer"))
    return _dense_answer(answer)


def exchange(question: Mapping[str, object], *, folder: DataFolder, wait_ms: int) -> dict[str, object]:
    """One question, one answer, all within that time. Raises ServerSilent."""
    deadline = time.monotonic() + wait_ms / 1000
    address = read_address(folder)
    try:
        with _connect(address, deadline) as connection:
            connection.settimeout(_left(deadline))
            connection.sendall(pack_frame({**question, "token": address.get("token", "")}))

            def receive(size: int) -> bytes:
                connection.settimeout(_left(deadline))
                return connection.recv(size)

            return read_frame(receive, limit=MAX_ANSWER)
    except (TimeoutError, BlockingIOError) as error:  # BlockingIOError: more callers wait than the system keeps
        raise ServerLate(f"no answer within {wait_ms} ms") from error
    except FrameUnreadable as error:
        raise ServerFailed(f"its answer cannot be read: {error}") from error
    except (OSError, TypeError, ValueError, OverflowError) as error:
        raise ServerMissing(f"nobody listens where the last one did ({type(error).__name__})") from error


def read_address(folder: DataFolder) -> dict[str, object]:
    """What the server said about itself when it began to listen. Raises ServerMissing."""
    try:
        with open(folder.embed_address, "rb") as file:
            address = json.loads(file.read())
    except FileNotFoundError as error:
        raise ServerMissing("none runs") from error
    except (OSError, ValueError) as error:
        raise ServerMissing(f"its address cannot be read ({type(error).__name__})") from error
    if not isinstance(address, dict):
        raise ServerMissing("its address cannot be read")
    return address


def clip_ends(prompt: str) -> str:
    """Of a long prompt the two ends, where the question stands."""
    if len(prompt) <= MAX_ASKED:
        return prompt
    half = MAX_ASKED // 2
    return f"{prompt[:half]}\n{prompt[-half:]}"


def _connect(address: Mapping[str, object], deadline: float) -> socket.socket:
    import socket  # noqa: PLC0415  6 ms, and many have no server

    path = address.get("unix")
    if path:
        connection = socket.socket(socket.AF_UNIX)
        target: object = path
    else:
        connection = socket.socket(socket.AF_INET)
        target = ("127.0.0.1", address.get("port"))
    try:
        connection.settimeout(_left(deadline))
        connection.connect(target)  # type: ignore[arg-type]  # a wrong one is a TypeError, which the caller expects
    except BaseException:
        connection.close()
        raise
    return connection


def _left(deadline: float) -> float:
    """Seconds up to the deadline. Raises TimeoutError after it: a timeout of 0 would mean not to wait at all."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _dense_answer(answer: Mapping[str, Any]) -> DenseAnswer:
    try:
        warm, hot = map(float, answer["floors"])
        languages = answer["languages"]
        return DenseAnswer(
            str(answer["model"]),
            formal=_pairs(answer["formal"]),
            shadow=_pairs(answer["shadow"]),
            floors=(warm, hot),
            offset=float(answer["offset"]),
            languages=None if languages is None else frozenset(languages),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ServerFailed("its answer lacks something") from error


def _pairs(rows: Any) -> list[tuple[str, float]]:
    return [(str(rule_id), float(cosine)) for rule_id, cosine in rows]
