"""The log files of the data folder > their lines, oldest first; or line by line as they are written.

Each line begins `2026-11-30T10:00:00Z LEVEL`. One that does not (of a traceback) goes with the line before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rules.disk import DataFolder

LEVELS = {"debug": 0, "info": 1, "warn": 2, "warning": 2, "error": 3, "critical": 3}
BEGINNING = re.compile(r"(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (?P<level>[A-Z]+) ")
CURRENT, ROTATED = "*.log", "*.log.*"


class Line(NamedTuple):
    at: str
    text: str
    level: str


def last_lines(folder: DataFolder, *, level: str, count: int) -> list[str]:
    """The newest `count` lines of all files at this level or above, oldest first; rotated files are read as well."""
    paths = [*Path(folder.logs).glob(ROTATED), *Path(folder.logs).glob(CURRENT)]
    lines = sorted((line for path in paths for line in _lines(_read(path))), key=lambda line: line.at)  # stable
    return [line.text for line in lines if _is_wanted(line, level)][-count:] if count else []


def follow(folder: DataFolder, *, level: str, wait: Callable[[], None]) -> Iterator[str]:
    """Every line that is written from now on; `wait` is called between two looks and may end it by raising."""
    tails = {path: Tail(path, _size(path)) for path in Path(folder.logs).glob(CURRENT)}
    while True:
        wait()
        for path in sorted(Path(folder.logs).glob(CURRENT)):
            tail = tails.setdefault(path, Tail(path, 0))
            yield from (line.text for line in _lines(tail.news()) if _is_wanted(line, level))


@dataclass
class Tail:
    """One growing file and how far it was read; one that shrank was rotated and starts anew."""

    path: Path
    offset: int
    rest: bytes = field(default=b"", repr=False)  # of a line whose end is not written yet

    def news(self) -> str:
        size = _size(self.path)
        if size < self.offset:
            self.offset, self.rest = 0, b""
        if size == self.offset:
            return ""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            data = self.rest + file.read()
            self.offset = file.tell()
        complete, newline, self.rest = data.rpartition(b"\n")
        return (complete + newline).decode("utf-8", "replace")


def _lines(text: str) -> Iterator[Line]:
    at = level = ""
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


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
