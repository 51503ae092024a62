"""A transfer file as a stream: bytes come in, raw records come out one at a time, and the other way round.

{"format": ..., "version": ..., "exported_at": ..., "rules": [record, ...]}, keys in any order. However large the file,
only one record is in memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Protocol

import ijson
from ijson.common import ObjectBuilder

from rules.refusals import RuleRefused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

OUR_FORMAT = "nokori-rules"
OUR_VERSION = 1
RULES = "rules"
MAX_BYTES = 1024**3
MAX_RECORDS = 200_000
MAX_DEPTH = 12  # of nested lists and tables; a record has five
OPENING = ("start_map", "start_array")
CLOSING = ("end_map", "end_array")


@dataclass(frozen=True)
class Header:
    """What a file says about itself; None for what it does not say."""

    format: object = None
    version: object = None


class TextSink(Protocol):
    """An open text file, or the output of a command."""

    def write(self, text: str, /) -> object: ...


def write_document(records: Iterable[Mapping[str, object]], file: TextSink, *, now: datetime, ascii_only: bool) -> int:
    """Writes one line a record and returns how many there were."""
    head = {"format": OUR_FORMAT, "version": OUR_VERSION, "exported_at": now.isoformat()}
    file.write(json.dumps(head)[:-1] + f', "{RULES}": [')
    written = 0
    for written, record in enumerate(records, start=1):
        file.write(("\n" if written == 1 else ",\n") + json.dumps(record, ensure_ascii=ascii_only))
    file.write("\n]}\n")
    return written


def read_header(file: IO[bytes]) -> Header:
    """Reads no further than it has to. Raises RuleRefused when there is no JSON object."""
    found: dict[str, object] = {}
    name = ""
    for depth, event, value in _events(file):
        if depth == 0 and event == "start_array":
            break
        if depth == 1 and event == "map_key":
            name = str(value)
        elif depth == 1 and name in Header.__annotations__:
            found[name] = value
        if len(found) == len(Header.__annotations__):
            break
    return Header(**found)


def raw_records(file: IO[bytes]) -> Iterator[object]:
    """What stands in the list of rules. Raises RuleRefused, perhaps late, for what is no such file."""
    name = ""
    builder = None
    has_list = False
    for depth, event, value in _events(file):
        if depth == 1 and event == "map_key":
            name = str(value)
        elif depth == 1 and name == RULES:
            has_list |= event == "start_array"
        elif has_list and depth >= 2 and name == RULES:
            builder = builder or ObjectBuilder()
            builder.event(event, value)
            if depth == 2 and event not in OPENING:
                yield builder.value
                builder = None
    if not has_list:
        raise RuleRefused(f"The file has no list of {RULES}.")


def _events(file: IO[bytes]) -> Iterator[tuple[int, str, object]]:
    """Each step of the parser behind the number of lists and tables that are open around it."""
    depth = 0
    try:
        for event, value in ijson.basic_parse(file):
            depth -= event in CLOSING
            yield depth, event, value
            depth += event in OPENING
            if depth > MAX_DEPTH:
                raise RuleRefused("The file is nested too deeply to be an export.")
    except ijson.JSONError as error:
        problem = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error.args[0])
        raise RuleRefused(f"The file is not valid JSON: {problem.splitlines()[0]}.") from error
