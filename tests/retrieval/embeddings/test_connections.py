"""Who comes to the server's socket: one answer each, and nobody keeps the others waiting."""

import socket
import threading
import time

import pytest

from retrieval.embeddings import connections
from retrieval.embeddings.connections import Connections
from retrieval.embeddings.places import Listener
from retrieval.lexical.embed_frames import MARK, MAX_ANSWER, MAX_QUESTION, FrameUnreadable, pack_frame, read_frame


class FullSocket:
    """A listening socket whose first accept finds too many files open."""

    def __init__(self, listening):
        self._listening = listening
        self._refusals = [OSError(24, "Too many open files")]

    def accept(self):
        if self._refusals:
            raise self._refusals.pop()
        return self._listening.accept()

    def fileno(self):
        return self._listening.fileno()


@pytest.fixture
def call():
    """call(reply=..., token=...): a server at a port, and one who sends bytes there and reads a frame."""
    listening = socket.create_server(("127.0.0.1", 0))
    threads = []

    def start(reply=lambda question: {"heard": question.get("ask")}, *, token="", wrap=lambda given: given):
        listener = Listener(wrap(listening), {"token": token})
        threads.append(threading.Thread(target=Connections(listener, reply).serve))
        threads[0].start()

        def ask(content, *, sends=None):
            with socket.create_connection(listening.getsockname(), timeout=30) as connection:
                connection.sendall(pack_frame(content) if sends is None else sends)
                return read_frame(connection.recv, limit=MAX_ANSWER)

        return ask

    yield start
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()


def test_each_question_gets_its_answer(call):
    ask = call()

    assert [ask({"ask": word}) for word in ("a", "b")] == [{"heard": "a"}, {"heard": "b"}]


@pytest.mark.parametrize("token", ["", "guessed", "secre", "secret2", "gehe\u00efm"])
def test_only_the_right_token_is_answered(call, token):
    ask = call(token="secret")  # noqa: S106

    with pytest.raises(FrameUnreadable, match="cut off"):
        ask({"ask": "a", "token": token})
    assert ask({"ask": "a", "token": "secret"}) == {"heard": "a"}


@pytest.mark.parametrize(
    "sends",
    [
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="another protocol"),
        pytest.param(MARK + (MAX_QUESTION + 1).to_bytes(4, "big"), id="too large"),
        pytest.param(MARK + b"\0\0\0\x02[]", id="not an object"),
        pytest.param(MARK + b"\0\0\0\x02\xff\xff", id="not text"),
    ],
)
def test_nonsense_is_hung_up_on_and_the_next_one_served(call, sends):
    ask = call()

    with pytest.raises((FrameUnreadable, ConnectionError)):
        ask({}, sends=sends)
    assert ask({"ask": "a"}) == {"heard": "a"}


def test_a_question_that_makes_it_fail_harms_no_other(call):
    ask = call(lambda question: {"half": 1 / question["ask"]})

    with pytest.raises(FrameUnreadable):
        ask({"ask": 0})
    assert ask({"ask": 2}) == {"half": 0.5}


def test_who_sends_byte_by_byte_is_hung_up_on_at_the_deadline(call, monkeypatch):
    monkeypatch.setattr(connections, "READ_SECONDS", 0.3)
    ask = call()
    start = time.monotonic()

    with pytest.raises((FrameUnreadable, ConnectionError)):
        ask({}, sends=MARK)

    assert time.monotonic() - start < 10
    assert ask({"ask": "a"}) == {"heard": "a"}


def test_when_too_many_files_are_open_it_goes_on_later(call):
    ask = call(wrap=FullSocket)

    assert ask({"ask": "a"}) == {"heard": "a"}


def test_one_who_ends_waits_for_the_answers_on_their_way():
    is_asked, may_answer = threading.Event(), threading.Event()

    def reply(question):
        is_asked.set()
        may_answer.wait(30)
        return {"heard": question["ask"]}

    listening = socket.create_server(("127.0.0.1", 0))
    served = Connections(Listener(listening, {}), reply)
    threading.Thread(target=served.serve, daemon=True).start()
    with listening, socket.create_connection(listening.getsockname(), timeout=30) as connection:
        connection.sendall(pack_frame({"ask": "a"}))
        is_asked.wait(30)
        threading.Timer(0.1, may_answer.set).start()

        served.drain(seconds=30)

        assert may_answer.is_set()
        assert read_frame(connection.recv, limit=MAX_ANSWER) == {"heard": "a"}
        listening.shutdown(socket.SHUT_RDWR)
