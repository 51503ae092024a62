"""The JSON object that a host put on standard input, read field by field; what is odd about it is remembered."""

from __future__ import annotations

from rules.plain_json import loads

NULLABLE = ("transcript_path", "agent_id", "tool_use_id", "prompt_id", "turn_id", "generation_id")  # null is absent


class PayloadUnreadable(ValueError):
    """The host sent no JSON object."""


class Payload:
    """`oddities` names the fields that held no text where text belongs, and "encoding" when bytes were replaced."""

    __slots__ = ("content", "oddities")

    def __init__(self, content: dict[str, object], *, oddities: list[str]) -> None:
        self.content = content
        self.oddities = oddities

    def text(self, name: str) -> str:
        """A value of another kind counts as absent."""
        value = self.content.get(name, "")
        if isinstance(value, str):
            return value
        if value is not None or name not in NULLABLE:
            self.oddities.append(name)
        return ""

    def mapping(self, name: str) -> dict[str, object]:
        value = self.content.get(name)
        return value if isinstance(value, dict) else {}


def read_payload(raw: bytes) -> Payload:
    """Raises PayloadUnreadable. Of bytes in another encoding the ASCII still works: the rest is replaced."""
    is_damaged = False
    try:
        try:
            content = loads(raw)
        except UnicodeDecodeError:
            is_damaged = True
            content = loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise PayloadUnreadable(f"standard input holds no JSON ({len(raw)} bytes)") from error
    if not isinstance(content, dict):
        raise PayloadUnreadable(f"standard input holds a JSON {type(content).__name__}, not an object")
    return Payload(content, oddities=["encoding"] if is_damaged else [])
