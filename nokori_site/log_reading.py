"""The log files of the data folder > their lines, oldest first; or line by line as they are written.

Each line begins `2026-11-30T10:00:00Z LEVEL`. One that does not (of a traceback) goes with the line before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rules.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rules.disk import DataFolder

Identity: TypeAlias = tuple[int, int]  # device and number of a file
LEVELS = {"debug": 0, "info": 1, "warn": 2, "warning": 2, "error": 3, "critical": 3}
BEGINNING = re.compile(r"(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (?P<level>[A-Z]+) ")
CURRENT, ROTATED = "*.log", "*.log.*"
HEAD_BYTES = 64  # by which a file is known again; they hold a time and the first words
NEWS_BYTES = 1_000_000  # read at one look; the rest comes with the next
LONGEST_LINE = 64_000  # bytes that are waited for an end of line


class Line(NamedTuple):
    """`at` is as it is written; it and `level` are empty for a line that follows none with a time."""

    at: str
    text: str
    level: str


def last_lines(folder: DataFolder, *, level: str, count: int) -> list[str]:
    """The newest `count` lines of all files at this level or above, oldest first; rotated files are read as well."""
    paths = [*Path(folder.logs).glob(ROTATED), *Path(folder.logs).glob(CURRENT)]
    lines = sorted((line for path in paths for line in lines_of(_read(path))), key=lambda line: line.at)  # stable
    return [line.text for line in lines if _is_wanted(line, level)][-count:] if count else []


class ShownLine(NamedTuple):
    """A line for a page: `source` is the name of its file, `text` what comes after time and level."""

    at: str
    level: str
    source: str
    text: str


def latest(folder: DataFolder, *, count: int) -> list[ShownLine]:
    """The newest lines of the current files, oldest first."""
    paths = Path(folder.logs).glob(CURRENT)
    entries = [(path.stem, line) for path in paths for line in lines_of(_read(path))]
    entries.sort(key=lambda entry: entry[1].at)  # stable
    return [ShownLine(line.at, level_of(line.level), name, _words(line.text, name)) for name, line in entries[-count:]]


def level_of(word: str) -> str:
    """One of debug, info, warn, error; a word that is no level is of a program that knows more of them."""
    return ("debug", "info", "warn", "error")[LEVELS.get(word, LEVELS["error"])]


def _words(text: str, name: str) -> str:
    return redact(BEGINNING.sub("", text, count=1).removeprefix(f"{name} ")).text


def follow(folder: DataFolder, *, level: str, wait: Callable[[], None]) -> Iterator[str]:
    """Every line that is written from now on; `wait` is called between two looks and may end it by raising."""
    tails = {path: Tail(path, _size(path)) for path in Path(folder.logs).glob(CURRENT)}
    while True:
        wait()
        for path in sorted(Path(folder.logs).glob(CURRENT)):
            tail = tails.setdefault(path, Tail(path, 0))
            yield from (line.text for line in lines_of(tail.news()) if _is_wanted(line, level))


@dataclass
class Tail:
    """One growing file and how far it was read.

    A file that took this one's place (rotation) is read from its start, after what is left of the one moved aside; so
    is one that was cut, which shows in its size or in its first bytes.
    """

    path: Path
    offset: int
    rest: bytes = field(default=b"", repr=False)  # of a line whose end is not written yet
    identity: Identity | None = None
    head: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        self.identity = _identity(self.path)
        self.head = _read_part(self.path, 0, min(HEAD_BYTES, self.offset))

    def news(self) -> str:
        """The complete lines since the last call, at most about NEWS_BYTES of each file."""
        left = self._moved_aside() if _identity(self.path) != self.identity else b""
        if left or self._is_another():
            self.rest = _ended(self.rest + left)
            self.offset, self.identity, self.head = 0, _identity(self.path), b""
        fresh = _read_part(self.path, self.offset, NEWS_BYTES)
        self.head = self.head or fresh[:HEAD_BYTES]
        self.offset += len(fresh)
        complete, newline, self.rest = (self.rest + fresh).rpartition(b"\n")
        if len(self.rest) > LONGEST_LINE:
            complete, newline, self.rest = complete + newline + self.rest, b"\n", b""
        return (complete + newline).decode("utf-8", "replace")

    def _is_another(self) -> bool:
        if _identity(self.path) != self.identity or _size(self.path) < self.offset:
            return True
        return self.head != _read_part(self.path, 0, len(self.head))

    def _moved_aside(self) -> bytes:
        """What was written into this file before it was renamed, and not read yet."""
        aside = (path for path in self.path.parent.glob(f"{self.path.name}.*") if _identity(path) == self.identity)
        found = next(aside, None) if self.identity else None
        return _read_part(found, self.offset, NEWS_BYTES) if found else b""


def lines_of(text: str, *, at: str = "", level: str = "") -> Iterator[Line]:
    """The lines of a part of a file; at, level: of the line before it."""
    for written in text.splitlines():
        if found := BEGINNING.match(written):
            at, level = found["at"], found["level"].lower()
        yield Line(at, _harmless(written), level)


def _is_wanted(line: Line, level: str) -> bool:
    """A word that is no level is of a program that knows more of them: it is shown."""
    return LEVELS.get(line.level, LEVELS["error"]) >= LEVELS[level]


def _harmless(text: str) -> str:
    """Nothing that a terminal obeys."""
    return "".join(character if character.isprintable() or character == "\t" else "?" for character in text)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:  # rotated away just now
        return ""


def _ended(lines: bytes) -> bytes:
    return lines + b"\n" if lines and not lines.endswith(b"\n") else lines


def _read_part(path: Path, start: int, count: int) -> bytes:
    if not count:
        return b""
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(count)
    except FileNotFoundError:
        return b""


def _identity(path: Path) -> Identity | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
