"""What a function of one argument answered before, up to a number of answers; then all are forgotten.

As functools.lru_cache, which loads `collections` for it, and as quick: what is known is one look into a dict.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import TypeVar

    Key = TypeVar("Key", bound=Hashable)
    Value = TypeVar("Value")


class Memo(dict["Key", "Value"]):
    """`memo[argument]` is the function's answer."""

    __slots__ = ("_function", "_limit")

    def __init__(self, function: Callable[[Key], Value], *, limit: int) -> None:
        self._function = function
        self._limit = limit

    def __missing__(self, key: Key) -> Value:
        value = self._function(key)
        if len(self) >= self._limit:
            self.clear()
        self[key] = value
        return value
