"""A stand-in for the embed server at the end of its address: it sends these bytes to whoever asks, or nothing at all."""

import json
import socket
import threading
from contextlib import contextmanager
from pathlib import Path

from retrieval.lexical.embed_frames import MAX_QUESTION, pack_frame, read_frame


def write_address(folder, **address):
    Path(folder.root).mkdir(parents=True, exist_ok=True)
    Path(folder.embed_address).write_text(json.dumps(address))


@contextmanager
def listening(folder, *, sends):
    """Yields the questions that came; `sends` are raw bytes, or an object that goes into a frame, or None for silence."""
    Path(folder.root).mkdir(parents=True, exist_ok=True)
    stop = threading.Event()
    questions: list[dict[str, object]] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        write_address(folder, port=server.getsockname()[1], token="t0ken")  # noqa: S106
        thread = threading.Thread(target=_serve, args=(server, questions, sends, stop))
        thread.start()
        try:
            yield questions
        finally:
            stop.set()
            socket.create_connection(server.getsockname()).close()
            thread.join()


def _serve(server, questions, sends, stop):
    while True:
        connection, _ = server.accept()
        with connection:
            if stop.is_set():
                return
            questions.append(read_frame(connection.recv, limit=MAX_QUESTION))
            if sends is None:
                stop.wait(5)
            else:
                connection.sendall(sends if isinstance(sends, bytes) else pack_frame(sends))
