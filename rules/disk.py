"""The data folder: where each thing lives on disk, whose it is, safe file names, atomic writes.

Every path of Nokori's own comes from DataFolder. Files are private to the user (0600, folders 0700).
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
SQLITE_MAGIC = b"SQLite format 3\0"
APPLICATION_ID = b"Noko"  # marks rules.db as ours
APPLICATION_ID_AT = 68  # byte of the header, https://www.sqlite.org/fileformat.html
HEADER_BYTES = 100
BINARY = getattr(os, "O_BINARY", 0)  # Windows alone tells text from bytes
REPLACE_TRIES = 10 if os.name == "nt" else 1  # Windows replaces no file that a reader has open at that moment
REPLACE_PAUSE_SECONDS = 0.02
MAX_PLAIN_NAME = 64  # characters; a UUID has 36


def data_dir(environ: Mapping[str, str]) -> str:
    """The data root as an absolute path: NOKORI_DATA_DIR, else ~/.nokori."""
    chosen = environ.get("NOKORI_DATA_DIR") or os.path.join("~", ".nokori")
    return os.path.abspath(os.path.expanduser(chosen))


class DataFolder:
    """The names of everything below one data root; nothing is created by asking."""

    __slots__ = ("root",)

    def __init__(self, root: str) -> None:
        self.root = root

    def path(self, *parts: str) -> str:
        return os.path.join(self.root, *parts)

    @property
    def config_toml(self) -> str:
        return self.path("config.toml")

    @property
    def database(self) -> str:
        return self.path("rules.db")

    @property
    def database_lock(self) -> str:
        return self.path("rules.lock")

    @property
    def filing_lock(self) -> str:
        return self.path("filing.lock")

    @property
    def maintenance_lock(self) -> str:
        return self.path("maintenance.lock")

    @property
    def publish_lock(self) -> str:
        return self.path("publish.lock")

    @property
    def settle_lock(self) -> str:
        return self.path("settle.lock")

    @property
    def embed_lock(self) -> str:
        return self.path("embed.lock")

    @property
    def embed_socket(self) -> str:
        return self.path("embed.sock")

    @property
    def embed_address(self) -> str:
        return self.path("embed.address")

    @property
    def embed_record(self) -> str:
        return self.path("embed.record")

    @property
    def vectors(self) -> str:
        return self.path("vectors")

    @property
    def models(self) -> str:
        return self.path("models")

    @property
    def install_record(self) -> str:
        return self.path("install.json")

    @property
    def plugin_program(self) -> str:
        return self.path("plugin_program")

    @property
    def secret_key(self) -> str:
        return self.path("secret_key")

    @property
    def web_token(self) -> str:
        return self.path("web_token")

    @property
    def published(self) -> str:
        return self.path("published")

    @property
    def spool_new(self) -> str:
        return self.path("spool", "new")

    @property
    def spool_bad(self) -> str:
        return self.path("spool", "bad")

    @property
    def sessions(self) -> str:
        return self.path("sessions")

    @property
    def gate_markers(self) -> str:
        return self.path("gate_markers")

    @property
    def coalesce(self) -> str:
        return self.path("hook_coalesce")

    @property
    def pending(self) -> str:
        return self.path("pending")

    @property
    def tombstones(self) -> str:
        return self.path("tombstones")

    @property
    def stamps(self) -> str:
        return self.path("stamps")

    @property
    def logs(self) -> str:
        return self.path("logs")


def read_header(path: str) -> bytes:
    """The first bytes of a database, read without SQLite, which would leave files beside it; empty for no file."""
    try:
        with open(path, "rb") as file:
            return file.read(HEADER_BYTES)
    except FileNotFoundError:
        return b""


def is_ours(header: bytes) -> bool:
    mark = header[APPLICATION_ID_AT : APPLICATION_ID_AT + len(APPLICATION_ID)]
    return header.startswith(SQLITE_MAGIC) and mark == APPLICATION_ID


def is_foreign(folder: DataFolder) -> bool:
    """Whether another program made the rules.db that is there; only a folder that nothing was published to can be its."""
    if os.path.isdir(folder.published):
        return False
    header = read_header(folder.database)
    return bool(header) and not is_ours(header)


def safe_name(identifier: str) -> str:
    """A file name for an id that came from outside: the id itself when it is plain, else a hash of it."""
    plain = identifier.isascii() and identifier.replace("-", "").replace("_", "").isalnum()
    if plain and len(identifier) <= MAX_PLAIN_NAME:
        return identifier
    import hashlib  # noqa: PLC0415  costs 3 ms, and hosts send UUIDs

    return "h-" + hashlib.sha256(identifier.encode("utf-8", "replace")).hexdigest()[:40]


def make_folder(path: str) -> None:
    """Creates a private folder and its parents; an existing one is left as it is."""
    os.makedirs(path, mode=PRIVATE_FOLDER, exist_ok=True)


def write_atomic(path: str, data: bytes, *, durable: bool = False, like: os.stat_result | None = None) -> None:
    """Writes a whole file or nothing: a reader sees the old bytes or the new ones.

    durable forces the bytes to the disk before the rename; like: the mode and owner to give it, else private.
    Raises OSError; no temporary file is left then.
    """
    make_folder(os.path.dirname(path))
    temporary = f"{path}.{os.getpid():x}-{os.urandom(4).hex()}.tmp"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, PRIVATE_FILE)
        with open(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if like is not None:
            _take_over(temporary, like)
        _replace(temporary, path)
    except BaseException:
        remove_file(temporary)
        raise


def _replace(temporary: str, path: str) -> None:
    for _ in range(REPLACE_TRIES - 1):
        try:
            os.replace(temporary, path)
        except PermissionError:
            time.sleep(REPLACE_PAUSE_SECONDS)
        else:
            return
    os.replace(temporary, path)


def _take_over(path: str, like: os.stat_result) -> None:
    """Gives a file the mode of another one, and its owner when a superuser writes into a user's folder."""
    os.chmod(path, like.st_mode & 0o7777)
    if hasattr(os, "chown") and os.stat(path).st_uid != like.st_uid:
        os.chown(path, like.st_uid, like.st_gid)


def remove_file(path: str) -> bool:
    """Deletes a file; False when there was none."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True
