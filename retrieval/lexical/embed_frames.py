"""What a hook and the embed server say to each other: a mark, a length, and that many bytes of one JSON object.

One question and one answer a connection. The mark carries the number of the format. Sizes are bounded on both sides, and
whatever is not a frame raises FrameUnreadable.
"""

from __future__ import annotations

from rules.plain_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MARK = b"NkE2"
LENGTH_BYTES = 4
MAX_QUESTION = 128 * 1024  # bytes; a prompt's two ends take 32 KB at most
MAX_ANSWER = 512 * 1024  # bytes; two lists of fifty rules take 6 KB


class FrameUnreadable(ValueError):
    """What came is no frame of this format."""


def pack_frame(content: Mapping[str, object]) -> bytes:
    body = dumps(content, is_ascii=False).encode("utf-8", "replace")
    return MARK + len(body).to_bytes(LENGTH_BYTES, "big") + body


def read_frame(receive: Callable[[int], bytes], *, limit: int) -> dict[str, object]:
    """`receive` gives at most that many bytes, none at the end. Raises FrameUnreadable, and whatever receive raises."""
    head = _read(receive, len(MARK) + LENGTH_BYTES)
    length = int.from_bytes(head[len(MARK) :], "big")
    if not head.startswith(MARK) or length > limit:
        raise FrameUnreadable("no frame of this format")
    try:
        content = loads(_read(receive, length))
    except (ValueError, RecursionError) as error:
        raise FrameUnreadable("not JSON") from error
    if not isinstance(content, dict):
        raise FrameUnreadable("not an object")
    return content


def _read(receive: Callable[[int], bytes], size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = receive(size - len(parts))
        if not part:
            raise FrameUnreadable("cut off")
        parts += part
    return bytes(parts)
