"""A transcript file: which bytes are read, in bounded memory, and where the next reading starts.

Lines end at byte 0x0A only. A broken line is counted and skipped; a half-written last line is left for next time.
Only files below the allowed roots are opened, symbolic links resolved.
"""

from __future__ import annotations

import os

from extraction.transcript import Turn, parse_line, turns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

MAX_TRANSCRIPT_BYTES = 50 * 1024 * 1024  # README "How a transcript becomes rules"
MAX_LINE_BYTES = 16 * 1024 * 1024  # a longer line is counted as broken and never held in memory
HEAD_BYTES = 64 * 1024
TAIL_BYTES = 256 * 1024  # first look at the end of a file
MAX_TAIL_BYTES = 4 * 1024 * 1024


class TranscriptError(Exception):
    """The transcript cannot be read."""


class TranscriptMissing(TranscriptError):
    """There is no such transcript."""


class TranscriptNotAllowed(TranscriptError):
    """The file lies outside the folders that transcripts are read from."""


class TranscriptTooLarge(TranscriptError):
    """There is more to read than one extraction may read."""


def require_allowed(path: str, roots: Sequence[str]) -> str:
    """The file's real path. Raises TranscriptNotAllowed when it is no *.jsonl below one of the roots."""
    real = os.path.realpath(os.path.expanduser(path))
    below = any(_is_below(real, os.path.realpath(os.path.expanduser(root))) for root in roots if root)
    if not below:
        raise TranscriptNotAllowed(f"{path} lies outside the folders that transcripts are read from.")
    if not real.endswith(".jsonl"):
        raise TranscriptNotAllowed(f"{path} is no *.jsonl file.")
    return real


class TranscriptReader:
    """Reads the turns of one file from a byte offset on; the counts are final once turns() has ended."""

    __slots__ = ("bad_lines", "cut_turns", "cwd", "end", "human_turns", "lines", "path", "start")

    def __init__(self, path: str, *, start: int = 0) -> None:
        self.path = path
        self.start = start
        self.end = start  # where the next reading starts
        self.lines = 0
        self.bad_lines = 0
        self.cut_turns = 0
        self.human_turns = 0
        self.cwd = ""  # of the first line that tells

    def turns(self) -> Iterator[Turn]:
        """Raises TranscriptMissing and TranscriptTooLarge before the first turn."""
        with open_transcript(self.path) as file:
            self.start = self.end = _sound_start(file, self.start)
            _require_bearable(file, self.start)
            for line in self._complete_lines(file):
                yield from self._turns_of_line(line)

    def _complete_lines(self, file: BinaryIO) -> Iterator[bytes]:
        file.seek(self.start)
        while line := file.readline(MAX_LINE_BYTES):
            if not line.endswith(b"\n"):
                if len(line) == MAX_LINE_BYTES and _skip_line(file):
                    line = b"{too long"
                elif parse_line(line) is None:
                    return  # half-written
            self.end = file.tell()
            yield line

    def _turns_of_line(self, line: bytes) -> Iterator[Turn]:
        if not line.strip():
            return
        self.lines += 1
        entry = parse_line(line)
        if entry is None:
            self.bad_lines += 1
            return
        cwd = entry.get("cwd")
        if not self.cwd and isinstance(cwd, str):
            self.cwd = cwd
        for turn in turns_of(entry):
            self.cut_turns += turn.is_cut
            self.human_turns += turn.is_human
            yield turn


def open_transcript(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise TranscriptMissing(f"There is no transcript at {path}.") from error


def last_human_texts(path: str, count: int, *, end: int | None = None) -> list[str]:
    """The last texts that a person typed before byte `end` (None: the end of the file), oldest first.

    Looks at the last 4 MB at most.
    """
    with open_transcript(path) as file:
        stop = _size(file) if end is None else end
        window = TAIL_BYTES
        while True:
            texts = _human_texts(_tail(file, stop=stop, window=window))
            if len(texts) >= count or window >= min(stop, MAX_TAIL_BYTES):
                return texts[-count:]
            window *= 4


def first_cwd(path: str) -> str:
    """The folder that the session began in, as the first lines tell; "" when they do not."""
    with open_transcript(path) as file:
        head = file.read(HEAD_BYTES)
    for line in head.split(b"\n"):
        cwd = (parse_line(line) or {}).get("cwd")
        if isinstance(cwd, str):
            return cwd
    return ""


def _tail(file: BinaryIO, *, stop: int, window: int) -> list[bytes]:
    start = max(0, stop - window)
    file.seek(start)
    lines = file.read(stop - start).split(b"\n")
    return lines[1:] if start else lines  # the first one is most likely cut


def _human_texts(lines: Sequence[bytes]) -> list[str]:
    entries = (parse_line(line) for line in lines if line)
    return [turn.text for entry in entries if entry for turn in turns_of(entry) if turn.is_human]


def _sound_start(file: BinaryIO, start: int) -> int:
    """The offset to start from: 0 when the file has shrunk or was written anew, so that start is no line's start."""
    if start == 0 or start > _size(file):
        return 0
    file.seek(start - 1)
    around = file.read(2)
    return start if around[:1] == b"\n" or around[1:] in (b"", b"\n") else 0


def _require_bearable(file: BinaryIO, start: int) -> None:
    size = _size(file) - start
    if size > MAX_TRANSCRIPT_BYTES:
        raise TranscriptTooLarge(
            f"{file.name} has {size / 1024 / 1024:.0f} MB to read; "
            f"one extraction reads {MAX_TRANSCRIPT_BYTES // 1024 // 1024} MB at most."
        )


def _skip_line(file: BinaryIO) -> bool:
    """Moves past the line's end; False when the file ends first."""
    while piece := file.readline(MAX_LINE_BYTES):
        if piece.endswith(b"\n"):
            return True
    return False


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _is_below(path: str, root: str) -> bool:
    return path.startswith(root.rstrip(os.sep) + os.sep)
