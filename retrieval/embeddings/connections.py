"""A listening socket in, one question and one answer for each connection; a bounded number of them at a time.

Whoever sends nothing, too much or nonsense is hung up on. Without the token nobody gets an answer.
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable
from threading import BoundedSemaphore, Condition, Thread
from typing import TYPE_CHECKING, Any

from retrieval.lexical.embed_frames import MAX_QUESTION, FrameUnreadable, pack_frame, read_frame

if TYPE_CHECKING:
    import socket

    from retrieval.embeddings.places import Listener

MAX_CONNECTIONS = 256  # the callers wait; each of them gave up long before that many are there
READ_SECONDS = 2.0
LEAST_SECONDS = 0.001  # a timeout of 0 would mean not to wait at all
PAUSE_SECONDS = 0.1

logger = logging.getLogger(__name__)


class Connections:
    """`reply`: question > answer; it is called from many threads."""

    def __init__(self, listener: Listener, reply: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self._listener = listener
        self._reply = reply
        self._places = BoundedSemaphore(MAX_CONNECTIONS)
        self._served = Condition()
        self._in_service = 0

    def serve(self) -> None:
        """Until the listening socket is closed."""
        while True:
            self._places.acquire()
            try:
                connection, _ = self._listener.socket.accept()
            except OSError as error:
                self._places.release()
                if self._listener.socket.fileno() < 0:
                    return
                logger.warning("nobody can be let in: %s", error)  # too many open files, for instance
                time.sleep(PAUSE_SECONDS)
            else:
                self._serve_beside(connection)

    def drain(self, *, seconds: float) -> None:
        """Waits until those who are being served have their answers."""
        with self._served:
            self._served.wait_for(lambda: not self._in_service, seconds)

    def _serve_beside(self, connection: socket.socket) -> None:
        self._count(+1)
        try:
            Thread(target=self._serve_one, args=(connection,), daemon=True).start()
        except RuntimeError as error:  # the system has no thread to give
            connection.close()
            self._count(-1)
            logger.warning("a caller was hung up on: %s", error)

    def _count(self, step: int) -> None:
        with self._served:
            self._in_service += step
            self._served.notify_all()
        if step < 0:
            self._places.release()

    def _serve_one(self, connection: socket.socket) -> None:
        try:
            with connection:
                self._answer(connection)
        except (OSError, FrameUnreadable) as error:
            logger.debug("a caller was hung up on: %s", error)
        except Exception:  # one question must not end the server
            logger.exception("a question could not be answered")
        finally:
            self._count(-1)

    def _answer(self, connection: socket.socket) -> None:
        question = read_frame(_receiver(connection), limit=MAX_QUESTION)
        token = str(question.get("token", ""))
        if not hmac.compare_digest(token.encode(), self._listener.token.encode()):
            return
        answer = pack_frame(self._reply(question))
        connection.settimeout(READ_SECONDS)
        connection.sendall(answer)


def _receiver(connection: socket.socket) -> Callable[[int], bytes]:
    """Receives up to a deadline for the whole question: who sends byte by byte keeps no place for long."""
    deadline = time.monotonic() + READ_SECONDS

    def receive(size: int) -> bytes:
        connection.settimeout(max(deadline - time.monotonic(), LEAST_SECONDS))
        return connection.recv(size)

    return receive
