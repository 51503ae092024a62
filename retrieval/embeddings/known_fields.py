"""What another version wrote or answered > the fields of ours that it fits: others are left out, so that defaults hold."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def known_fields(kind: type[Any], content: Mapping[str, object]) -> dict[str, Any]:
    """`kind` is a dataclass of plain values: each field has its default's type, one without a default is a string."""
    types = {field.name: str if field.default is MISSING else type(field.default) for field in fields(kind)}
    return {name: value for name, value in content.items() if name in types and _fits(value, types[name])}


def _fits(value: object, kind: type[Any]) -> bool:
    return isinstance(value, kind) or (kind is float and isinstance(value, int))
