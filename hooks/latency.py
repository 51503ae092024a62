"""How long the calls of a day took, in buckets that double: milliseconds come in, a quantile goes out. Pure.

Bucket 0 holds calls below 1 ms, bucket i those from 2**(i-1) up to 2**i ms; the last one everything above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BUCKET_COUNT = 18  # the last one starts at 65 s, beyond every host's timeout


def bucket_number(ms: float) -> int:
    return min(int(ms).bit_length(), BUCKET_COUNT - 1)


def add_buckets(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """The sum, as long as it has to be; either may be shorter (a new row has none)."""
    padded = zip(_padded(left), _padded(right), strict=True)
    return [a + b for a, b in padded]


def quantile_ms(buckets: Sequence[int], share: float) -> float | None:
    """The milliseconds that this share of the calls stayed below, evenly spread inside a bucket; None without calls."""
    rank = share * sum(buckets)
    if rank <= 0:
        return None
    number = 0
    while buckets[number] < rank:
        rank -= buckets[number]
        number += 1
    low = 2.0 ** (number - 1) if number else 0.0
    return low + (2.0**number - low) * rank / buckets[number]


def _padded(buckets: Sequence[int]) -> list[int]:
    return [*buckets, *[0] * (BUCKET_COUNT - len(buckets))][:BUCKET_COUNT]
