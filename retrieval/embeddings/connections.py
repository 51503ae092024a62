"""A listening socket in, one question and one answer for each connection; a bounded number of them at a time.

Whoever sends nothing, too much or nonsense is hung up on. Without the token nobody gets an answer.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from threading import BoundedSemaphore, Thread
from typing import TYPE_CHECKING, Any

from retrieval.lexical.embed_frames import MAX_QUESTION, FrameUnreadable, pack_frame, read_frame

if TYPE_CHECKING:
    import socket

    from retrieval.embeddings.places import Listener

MAX_CONNECTIONS = 256  # the callers wait; each of them gave up long before that many are there
READ_SECONDS = 2.0

logger = logging.getLogger(__name__)


class Connections:
    """`reply`: question > answer; it is called from many threads."""

    def __init__(self, listener: Listener, reply: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self._listener = listener
        self._reply = reply
        self._places = BoundedSemaphore(MAX_CONNECTIONS)

    def serve(self) -> None:
        """Until the listening socket is closed."""
        while True:
            self._places.acquire()
            try:
                connection, _ = self._listener.socket.accept()
            except OSError:
                return
            Thread(target=self._serve_one, args=(connection,), daemon=True).start()

    def _serve_one(self, connection: socket.socket) -> None:
        try:
            with connection:
                self._answer(connection)
        except (OSError, FrameUnreadable) as error:
            logger.debug("a caller was hung up on: %s", error)
        except Exception:  # one question must not end the server
            logger.exception("a question could not be answered")
        finally:
            self._places.release()

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(READ_SECONDS)
        question = read_frame(connection.recv, limit=MAX_QUESTION)
        token = str(question.get("token", ""))
        if not hmac.compare_digest(token.encode(), self._listener.token.encode()):
            return
        connection.sendall(pack_frame(self._reply(question)))
