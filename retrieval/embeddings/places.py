"""Where the embed server listens, and how others learn of it: a data folder in, a listening socket and its address out.

A Unix socket in the data folder; in the user's runtime folder when that path is longer than a socket's may be, or when
the file system has no sockets; else a port of this machine with a token. The address file tells which, to this user alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rules.disk import PRIVATE_FILE, remove_file, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rules.disk import DataFolder

BACKLOG = 128
MAX_SOCKET_PATH = 103  # bytes: macOS keeps 104 with the closing zero, Linux 108
GROUP_AND_OTHERS = 0o077
HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")


class Listener:
    """A socket that listens, and how to reach it."""

    def __init__(self, listening: socket.socket, address: dict[str, object]) -> None:
        self.socket = listening
        self.address = address
        self.token = str(address.get("token", ""))


@contextmanager
def listening(folder: DataFolder, *, version: str, paths: Iterable[str] | None = None) -> Iterator[Listener]:
    """Listens until the end of the block; `paths` are where to try a Unix socket. Raises OSError.

    Only who holds the server's lock may call it: what an earlier server left is removed.
    """
    remove_file(folder.embed_address)
    listener = _listen(socket_paths(folder) if paths is None else paths)
    address = {**listener.address, "pid": os.getpid(), "version": version}
    content = json.dumps(address).encode()
    try:
        write_atomic(folder.embed_address, content)
        yield listener
    finally:
        listener.socket.close()
        if _read(folder.embed_address) == content:
            remove_file(folder.embed_address)
        _remove_socket(listener)


def socket_paths(folder: DataFolder) -> Iterator[str]:
    """Where a Unix socket may lie, best first; none on a system without them. The second place is made when it is asked for."""
    if not HAS_UNIX_SOCKETS:
        return
    if _fits(folder.embed_socket):
        yield folder.embed_socket
    runtime = _runtime_folder()
    if runtime:
        path = str(runtime / f"nokori-{hashlib.sha256(os.fsencode(folder.root)).hexdigest()[:16]}.sock")
        if _fits(path):
            yield path


def _fits(path: str) -> bool:
    return len(os.fsencode(path)) <= MAX_SOCKET_PATH


def _listen(paths: Iterable[str]) -> Listener:
    for path in paths:
        try:
            return Listener(_listen_on_path(path), {"unix": path})
        except OSError:  # a file system without sockets, or a folder that cannot be written
            continue
    listening = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    return Listener(listening, {"port": listening.getsockname()[1], "token": secrets.token_urlsafe(32)})


def _listen_on_path(path: str) -> socket.socket:
    Path(path).unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o777 & ~PRIVATE_FILE)
    try:
        listening.bind(path)
        listening.listen(BACKLOG)
    except BaseException:
        listening.close()
        raise
    finally:
        os.umask(mask)
    return listening


def _runtime_folder() -> Path | None:
    """A folder with a short name that is this user's alone; None when there is none."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given and _is_private(Path(given)):
        return Path(given)
    own = Path(tempfile.gettempdir()) / f"nokori-{os.getuid()}"
    try:
        own.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    return own if _is_private(own) else None


def _is_private(folder: Path) -> bool:
    """Whether nobody else can put something there: a folder of that name may be another user's."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & GROUP_AND_OTHERS


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _remove_socket(listener: Listener) -> None:
    path = listener.address.get("unix")
    if path:
        remove_file(str(path))
