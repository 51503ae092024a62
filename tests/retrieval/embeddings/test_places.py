"""Where the server listens: a socket for the user alone, a short path for a long one, a port where there are no sockets."""

import json
import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from retrieval.embeddings import places
from retrieval.embeddings.places import MAX_SOCKET_PATH, listening, socket_paths
from rules.disk import DataFolder

NO_SOCKETS = "/proc/self/embed.sock"  # a file system that has none


@pytest.fixture
def folder(data_folder):
    Path(data_folder.root).mkdir()
    return data_folder


@pytest.fixture
def short_home(tmp_path_factory, monkeypatch):
    """A runtime folder whose name leaves room for a socket's."""
    home = tmp_path_factory.mktemp("run")
    home.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home))
    return home


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_the_socket_lies_in_the_data_folder_and_is_the_users_alone(folder):
    with listening(folder, version="1") as listener:
        assert listener.address == {"unix": folder.embed_socket}
        assert (mode(folder.embed_socket), mode(folder.embed_address)) == (0o600, 0o600)
        assert json.loads(Path(folder.embed_address).read_text()) == {
            "unix": folder.embed_socket,
            "pid": os.getpid(),
            "version": "1",
        }


def test_socket_and_address_go_when_it_ends(folder):
    with listening(folder, version="1"):
        pass

    assert list(Path(folder.root).iterdir()) == []


def test_what_a_killed_server_left_is_no_obstacle(folder):
    left = socket.socket(socket.AF_UNIX)
    left.bind(folder.embed_socket)
    left.close()

    with listening(folder, version="1") as listener, socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(listener.address["unix"]))


def test_an_address_that_another_one_wrote_meanwhile_stays(folder):
    with listening(folder, version="1"):
        Path(folder.embed_address).write_text("{}")

    assert Path(folder.embed_address).read_text() == "{}"


def test_a_path_that_is_too_long_for_a_socket_is_replaced_by_a_short_one(tmp_path, short_home):
    folder = DataFolder(str(tmp_path / ("long" * 40)))
    Path(folder.root).mkdir()

    with listening(folder, version="1") as listener, socket.socket(socket.AF_UNIX) as caller:
        path = str(listener.address["unix"])
        caller.connect(path)

        assert Path(path).parent == short_home
        assert mode(path) == 0o600


def test_the_other_place_is_not_made_where_it_is_not_needed(folder, tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    with listening(folder, version="1"):
        assert list((tmp_path / "temporary").iterdir()) == []


def test_two_data_folders_never_share_the_short_path(tmp_path, short_home):
    one, other = (socket_paths(DataFolder(str(tmp_path / (name * 120)))) for name in "ab")

    assert set(one).isdisjoint(other)


def test_no_path_is_ever_longer_than_the_system_allows(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))

    paths = socket_paths(DataFolder("/" + "x" * 300))

    assert all(len(path) <= MAX_SOCKET_PATH for path in paths)


def test_a_runtime_folder_that_others_may_write_to_is_not_used(tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(shared))

    assert not any(path.startswith(str(shared)) for path in socket_paths(DataFolder("/data")))


def test_without_sockets_in_the_file_system_it_is_a_port_with_a_token(folder):
    with listening(folder, version="1", paths=[NO_SOCKETS]) as listener:
        address = json.loads(Path(folder.embed_address).read_text())
        socket.create_connection(("127.0.0.1", address["port"])).close()

        assert len(address["token"]) >= 32
        assert listener.token == address["token"]
        assert mode(folder.embed_address) == 0o600


def test_each_port_has_a_token_of_its_own(folder):
    tokens = set()
    for _ in range(2):
        with listening(folder, version="1", paths=[]) as listener:
            tokens.add(listener.token)

    assert len(tokens) == 2


def test_a_system_without_unix_sockets_gets_a_port(folder, monkeypatch):
    monkeypatch.setattr(places, "HAS_UNIX_SOCKETS", False)

    with listening(folder, version="1") as listener:
        assert set(listener.address) == {"port", "token"}
