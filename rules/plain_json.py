"""JSON as `json` reads and writes it, by the same C code, without what `import json` brings along.

That module loads `re` and `enum` for its Python fallbacks, which costs a hook as much as starting the interpreter. Where
the C code is missing or has another form, and for whatever it does not take, `json` itself answers.
"""

from __future__ import annotations

try:
    import _json as found
except ImportError:
    found = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # what JSON holds, and C code that promises nothing

c_code: Any = found

SPACE = " \t\n\r"
MOST = 1.7976931348623157e308  # of a float; an integer of JSON may be larger, and NaN is on no side of it
CONSTANTS = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}


class Reading:
    """The defaults of json.loads, under the names that the scanner asks for."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = CONSTANTS.__getitem__


def _make_scan() -> Any:
    try:
        return c_code.make_scanner(Reading)
    except (AttributeError, TypeError):
        return None


_scan = _make_scan()


def loads(data: str | bytes) -> Any:
    """Raises ValueError, UnicodeDecodeError among them, and RecursionError, as json.loads does."""
    try:
        text = data if isinstance(data, str) else data.decode()
        value, end = _scan(text, len(text) - len(text.lstrip(SPACE)))
    except (TypeError, ValueError, StopIteration, SystemError):  # SystemError: it cannot name its error without `json`
        return _loads_otherwise(data)
    return _loads_otherwise(data) if text[end:].strip(SPACE) else value


def real(value: object) -> float:
    """A number that JSON held. Raises TypeError for what is none, ValueError for one that is not finite or that no float holds."""
    if not isinstance(value, (int, float)):
        raise TypeError(type(value).__name__)
    if not -MOST <= value <= MOST:
        raise ValueError("no finite number")
    return float(value)


def dumps(value: object, *, is_compact: bool = False, is_ascii: bool = True) -> str:
    """`is_compact` leaves out the spaces after , and :. Raises TypeError, ValueError, RecursionError, as json.dumps does."""
    comma, colon = (",", ":") if is_compact else (", ", ": ")
    try:
        escape = c_code.encode_basestring_ascii if is_ascii else c_code.encode_basestring
        return "".join(c_code.make_encoder({}, _refuse, escape, None, colon, comma, False, False, True)(value, 0))
    except (AttributeError, TypeError, ValueError):
        import json  # noqa: PLC0415  never where the C code is there

        return json.dumps(value, separators=(comma, colon), ensure_ascii=is_ascii)


def _refuse(value: object) -> object:
    raise TypeError(type(value).__name__)


def _loads_otherwise(data: str | bytes) -> Any:
    """Another encoding, a byte order mark, or what is no JSON at all."""
    import json  # noqa: PLC0415  as above

    return json.loads(data)
