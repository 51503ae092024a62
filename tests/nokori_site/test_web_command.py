"""`web` as a process of its own: where it listens, whom it lets in, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from nokori_site.served_names import address_of, served_names
from nokori_site.web_server import NoFreePort, first_free_port
from tests.conftest import MANAGE

SECONDS = 60
posix_only = pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGINT for another process")


@contextmanager
def running(*options):
    """The lines that `web` printed until it told its link, and the process."""
    command = [sys.executable, "-u", str(MANAGE), "web", "--no-browser", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout
        said = []
        for line in process.stdout:
            said.append(line.strip())
            if "once=" in line:
                break
        try:
            yield said, process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(SECONDS)


def ask(link, path, *, method="GET", body=None, headers=None, chunked=False):
    """One answer's status; the server may not listen yet."""
    place = urlsplit(link)
    end = time.monotonic() + SECONDS
    while True:
        with closing(HTTPConnection(place.hostname or "", place.port, timeout=SECONDS)) as connection:
            try:
                connection.request(method, path, body=body, headers=headers or {}, encode_chunked=chunked)
                return connection.getresponse().status
            except ConnectionRefusedError:
                assert time.monotonic() < end
                time.sleep(0.1)


def free_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@posix_only
def test_it_listens_on_this_machine_alone_and_ends_cleanly(data_folder):
    with running("--port", str(free_port())) as (said, process):
        link = said[-1]
        answers = [ask(link, "/"), ask(link, link.partition(urlsplit(link).netloc)[2]), ask(link, "/")]

    rest = process.stdout.read() if process.stdout and not process.stdout.closed else ""
    assert said[0].startswith("Nokori is at http://127.0.0.1:")
    assert (answers, process.returncode, rest) == ([401, 302, 401], 0, "")


@posix_only
def test_a_port_that_is_taken_is_passed_over(data_folder):
    port = free_port()
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", port))
        other.listen()

        with running("--port", str(port)) as (said, _):
            taken = urlsplit(said[-1]).port

    assert taken is not None
    assert port < taken < port + 50


@posix_only
def test_another_address_is_served_with_a_warning(data_folder):
    with running("--port", str(free_port()), "--host", "0.0.0.0") as (said, _):  # noqa: S104  what is tested
        foreign = ask(said[-1], "/", headers={"Host": "evil.example"})

    assert "can be reached by others" in said[0]
    assert foreign == 400


@posix_only
def test_a_huge_body_without_a_length_is_cut_off_while_it_comes_in(data_folder):
    with running("--port", str(free_port())) as (said, _):
        ask(said[-1], "/")
        pieces = (b"x" * 100_000 for _ in range(100))
        try:
            answer = ask(
                said[-1], "/theme/", method="POST", body=pieces, headers={"Transfer-Encoding": "chunked"}, chunked=True
            )
        except (BrokenPipeError, ConnectionResetError):
            answer = 413  # it hung up before all was sent

    assert answer == 413


@posix_only
def test_notes_of_hooks_are_filed_while_it_runs(data_folder, run_manage):
    with running("--port", str(free_port())) as (said, _):
        ask(said[-1], "/")
        run_manage("hook", "session-start", stdin='{"session_id": "s1", "source": "startup", "cwd": "/w"}')
        end = time.monotonic() + SECONDS
        while os.listdir(data_folder.spool_new) and time.monotonic() < end:  # noqa: PTH208
            time.sleep(0.1)

    assert os.listdir(data_folder.spool_new) == []  # noqa: PTH208


def test_no_free_port_is_said_in_one_sentence():
    with pytest.raises(NoFreePort, match=r"^192\.0\.2\.1 has no free port from 8765 on: .+\.$"):
        first_free_port("192.0.2.1", 8765)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_is_called_by_its_three_names(host):
    assert served_names(host) == ["127.0.0.1", "localhost", "[::1]"]


def test_another_address_is_a_name_too():
    assert served_names("192.0.2.7")[-1] == "192.0.2.7"
    assert served_names("2001:db8::7")[-1] == "[2001:db8::7]"


def test_every_address_of_this_machine_is_a_name_when_all_are_served():
    names = served_names("0.0.0.0")  # noqa: S104  what is tested

    assert socket.gethostname().lower() in names
    assert "*" not in names


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "http://127.0.0.1:1"), ("::1", "http://[::1]:1"), ("0.0.0.0", "http://127.0.0.1:1")],  # noqa: S104
)
def test_the_link_leads_to_an_address_that_a_browser_can_open(host, address):
    assert address_of(host, 1) == address
