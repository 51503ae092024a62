"""A JSON text that is edited in place: every byte that an edit does not name stays as it was. Pure.

read() gives the text's tree with places; appended(), replaced() and removed() give a new text in the same style
(indentation, line ends, one-line or not). Appending and then removing the last child gives the first text again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

WHITESPACE = re.compile(r"[ \t\r\n]*")
DEFAULT_UNIT = "  "  # one level, when the text shows none
DECODER = json.JSONDecoder()


class JsonUnreadable(ValueError):
    """The text is not JSON, or not JSON that can be edited without losing something."""


@dataclass(frozen=True)
class Node:
    """A value and where it stands. `outer` is where its member begins (its key), the value itself in an array."""

    value: Any  # what json.loads makes of it: any JSON value
    start: int
    end: int
    outer: int
    key: str = ""
    children: tuple[Node, ...] = field(default=(), repr=False)

    def member(self, key: str) -> Node | None:
        return next((child for child in self.children if child.key == key), None)


def read(text: str) -> Node:
    """The root value. Raises JsonUnreadable with line and column, also when a key stands twice in one object."""
    try:
        json.loads(text, parse_constant=_refuse_constant)
        return _read_value(text, _skip(text, 0))
    except json.JSONDecodeError as error:
        raise JsonUnreadable(f"line {error.lineno} column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise JsonUnreadable("it is nested too deeply") from error


def appended(text: str, container: Node, *, value: object, key: str = "") -> str:
    """The text with one more child at the end of an object (under this key) or of an array."""
    style = _Style(text)
    if not container.children:
        filling = style.only_child(container, value, key=key)
        return text[: container.start + 1] + filling + text[container.end - 1 :]
    last = container.children[-1]
    return text[: last.end] + style.next_child(container, value, key=key) + text[last.end :]


def replaced(text: str, node: Node, *, value: object) -> str:
    """The text with another scalar in a value's place."""
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def removed(text: str, child: Node, *, container: Node) -> str:
    """The text without one child and its comma; a container that loses its only child is left as {} or []."""
    number = container.children.index(child)
    if len(container.children) == 1:
        return text[: container.start + 1] + text[container.end - 1 :]
    if number == 0:
        return text[: child.outer] + text[container.children[1].outer :]
    return text[: container.children[number - 1].end] + text[child.end :]


class _Style:
    """How a text is written, read off its first member."""

    def __init__(self, text: str) -> None:
        root = read(text)
        written = text[root.start : root.end]
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.is_one_line = bool(root.children) and "\n" not in written
        self.is_spaced = '": ' in written or not root.children
        self.unit = (self._indent_at(root.children[0].outer) if root.children else "") or DEFAULT_UNIT

    def only_child(self, container: Node, value: object, *, key: str) -> str:
        if self.is_one_line:
            return self._written(value, key=key, indent=None)
        closing = self.newline + self._indent_at(container.outer)
        indent = self._indent_at(container.outer) + self.unit
        return self.newline + indent + self._written(value, key=key, indent=indent) + closing

    def next_child(self, container: Node, value: object, *, key: str) -> str:
        last = container.children[-1]
        gap = self._gap_before_last(container)
        if "\n" in gap:
            return "," + gap + self._written(value, key=key, indent=self._indent_at(last.outer))
        return (", " if self.is_spaced else ",") + self._written(value, key=key, indent=None)

    def _gap_before_last(self, container: Node) -> str:
        """The white space between the last child and the comma or bracket before it."""
        *earlier, last = container.children
        if not earlier:
            return self.text[container.start + 1 : last.outer]
        return self.text[earlier[-1].end : last.outer].partition(",")[2]

    def _written(self, value: object, *, key: str, indent: str | None) -> str:
        """indent is the one of the line that it stands on; None writes it into that line as a whole."""
        name = json.dumps(key, ensure_ascii=False) + (": " if self.is_spaced else ":") if key else ""
        if indent is None:
            separators = (", ", ": ") if self.is_spaced else (",", ":")
            return name + json.dumps(value, ensure_ascii=False, separators=separators)
        lines = json.dumps(value, ensure_ascii=False, indent=self.unit).split("\n")
        return name + (self.newline + indent).join(lines)

    def _indent_at(self, place: int) -> str:
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip(" \t"))]


def _read_value(text: str, start: int, *, key: str = "", outer: int | None = None) -> Node:
    outer = start if outer is None else outer
    if text[start] == "{":
        children, end = _read_members(text, start + 1)
        return Node({child.key: child.value for child in children}, start, end, outer, key, children)
    if text[start] == "[":
        children, end = _read_items(text, start + 1)
        return Node([child.value for child in children], start, end, outer, key, children)
    value, end = DECODER.raw_decode(text, start)
    return Node(value, start, end, outer, key)


def _read_items(text: str, place: int) -> tuple[tuple[Node, ...], int]:
    children: list[Node] = []
    place = _skip(text, place)
    while text[place] != "]":
        children.append(_read_value(text, place))
        place = _skip(text, children[-1].end, comma=True)
    return tuple(children), place + 1


def _read_members(text: str, place: int) -> tuple[tuple[Node, ...], int]:
    children: dict[str, Node] = {}
    place = _skip(text, place)
    while text[place] != "}":
        key, end = DECODER.raw_decode(text, place)
        if key in children:
            raise JsonUnreadable(f"{_line_and_column(text, place)}: the key {key!r} stands twice in one object")
        colon = _skip(text, end)
        children[key] = _read_value(text, _skip(text, colon + 1), key=key, outer=place)
        place = _skip(text, children[key].end, comma=True)
    return tuple(children.values()), place + 1


def _skip(text: str, place: int, *, comma: bool = False) -> int:
    """The next place that is no white space, nor one comma if so asked."""
    place = _whitespace_end(text, place)
    return _whitespace_end(text, place + 1) if comma and text[place] == "," else place


def _whitespace_end(text: str, place: int) -> int:
    match = WHITESPACE.match(text, place)
    return match.end() if match else place


def _line_and_column(text: str, place: int) -> str:
    return f"line {text.count(chr(10), 0, place) + 1} column {place - text.rfind(chr(10), 0, place)}"


def _refuse_constant(name: str) -> NoReturn:
    raise JsonUnreadable(f"{name} is not a JSON value")
