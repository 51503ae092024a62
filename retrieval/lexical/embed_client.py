"""A question to the embed server: its address file and a prompt in, the rules near that prompt out, in bounded time.

No address file, no server: that look is all it costs then. The file names a Unix socket, or a port of this machine with
a token; only this user can read it.
"""

from __future__ import annotations

import time

from retrieval.lexical.embed_frames import MAX_ANSWER, FrameUnreadable, pack_frame, read_frame
from retrieval.lexical.results import DenseAnswer
from rules.plain_json import loads, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from collections.abc import Mapping
    from typing import Any  # what another process sent, until it is checked

    from rules.disk import DataFolder

LOCAL_WAIT_MS, REMOTE_WAIT_MS = 120, 350  # README "Configuration": hook_embed_wait_ms = 0
WAKE_MS = 3  # a system takes its time to wake who waits in vain: the prompt shall not pay for it
MAX_ASKED = 8_000  # characters: of a longer prompt its two ends, more than a model reads
MAX_COSINE = 1.01  # float32 rounds
# With the connection, or with an address that is odd: AttributeError is a Unix socket where there are none.
TROUBLE = (OSError, TypeError, ValueError, OverflowError, AttributeError)
READY, STARTING, STALE, FEW = "ready", "starting", "stale", "few"


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


class TooFewRules(ServerSilent):
    """The project has fewer rules than it takes to be matched by meaning without being told to."""


def ask(prompt: str, *, folder: DataFolder, project_id: str, version: str, wait_ms: int) -> DenseAnswer:
    """The rules near the prompt, for each pool of this project. Raises ServerSilent."""
    asked = send_prompt(prompt, folder=folder, project_id=project_id, version=version, wait_ms=wait_ms)
    return read_answer(asked.receive())


def send_prompt(
    prompt: str, *, folder: DataFolder, project_id: str, version: str, wait_ms: int, least_rules: int = 0
) -> Asked:
    """As `ask`, for a caller with something to do while the server works. Raises ServerSilent.

    The server answers nothing where fewer than least_rules are matched with the prompts of this project.
    """
    question = {
        "ask": "near",
        "prompt": clip_ends(prompt),
        "project": project_id,
        "version": version,
        "wait_ms": wait_ms,
        "least_rules": least_rules,
    }
    return Asked(question, folder=folder, wait_ms=wait_ms)


def read_answer(answer: Mapping[str, object]) -> DenseAnswer:
    """Raises ServerSilent for an answer that says no."""
    state = answer.get("state")
    if state == STARTING:
        raise ServerStarting("its model is being loaded")
    if state == STALE:
        raise ServerStale("it is of another version")
    if state == FEW:
        raise TooFewRules("too few rules here")
    if state != READY:
        raise ServerFailed(str(answer.get("problem") or "it could not answer"))
    return _dense_answer(answer)


def exchange(question: Mapping[str, object], *, folder: DataFolder, wait_ms: int) -> dict[str, object]:
    """One question, one answer, all within that time. Raises ServerSilent."""
    return Asked(question, folder=folder, wait_ms=wait_ms).receive()


class Asked:
    """A question that is on its way, and the time that is left for its answer. Raises ServerSilent when nobody listens."""

    __slots__ = ("_connection", "_deadline", "_wait_ms")

    def __init__(self, question: Mapping[str, object], *, folder: DataFolder, wait_ms: int) -> None:
        self._wait_ms = wait_ms
        self._deadline = time.monotonic() + (wait_ms - min(WAKE_MS, wait_ms / 2)) / 1000
        address = read_address(folder)
        self._connection: _socket.socket | None = None
        try:
            self._connection = _connect(address, self._deadline)
            self._connection.settimeout(_left(self._deadline))
            self._connection.sendall(pack_frame({**question, "token": address.get("token", "")}))
        except TROUBLE as error:
            self.close()
            raise self._reason(error) from error

    def receive(self) -> dict[str, object]:
        """What the server says, once. Raises ServerSilent."""
        try:
            return read_frame(self._receive, limit=MAX_ANSWER)
        except TROUBLE as error:
            raise self._reason(error) from error
        finally:
            self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _receive(self, size: int) -> bytes:
        if self._connection is None:
            return b""
        self._connection.settimeout(_left(self._deadline))
        return self._connection.recv(size)

    def _reason(self, error: Exception) -> ServerSilent:
        if isinstance(
            error, (TimeoutError, BlockingIOError)
        ):  # BlockingIOError: more callers wait than the system keeps
            return ServerLate(f"no answer within {self._wait_ms} ms")
        if isinstance(error, FrameUnreadable):
            return ServerFailed(f"its answer cannot be read: {error}")
        return ServerMissing(f"nobody listens where the last one did ({type(error).__name__})")


def read_address(folder: DataFolder) -> dict[str, object]:
    """What the server said about itself when it began to listen. Raises ServerMissing."""
    try:
        with open(folder.embed_address, "rb") as file:
            address = loads(file.read())
    except FileNotFoundError as error:
        raise ServerMissing("none runs") from error
    except (OSError, ValueError, RecursionError) as error:
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


def _connect(address: Mapping[str, object], deadline: float) -> _socket.socket:
    import _socket  # noqa: PLC0415  many have no server; `socket` is made of it, and takes 6 ms for names of no use here

    path = address.get("unix")
    connection = _socket.socket(_socket.AF_UNIX if path else _socket.AF_INET, _socket.SOCK_STREAM)
    target = path or ("127.0.0.1", address.get("port"))
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
        warm, hot = map(float, answer["floors"])  # infinite where nothing is calibrated
        formal, shadow, languages = answer["formal"], answer["shadow"], answer["languages"]
        return DenseAnswer(
            str(answer["model"]),
            formal=[(str(rule_id), _cosine(cosine)) for rule_id, cosine, _ in formal],
            shadow=[(str(rule_id), _cosine(cosine)) for rule_id, cosine, _ in shadow],
            floors=(warm, hot),
            offset=real(answer["offset"]),
            languages=None if languages is None else frozenset(languages),
            numbers={str(rule_id): int(real(number)) for rule_id, _, number in (*formal, *shadow)},
            content_id=str(answer["content"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ServerFailed("its answer lacks something") from error


def _cosine(value: object) -> float:
    cosine = real(value)
    if abs(cosine) > MAX_COSINE:
        raise ValueError(cosine)
    return cosine
