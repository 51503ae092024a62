"""redis.url > Django's CHANNEL_LAYERS entry: in memory without one, else through the extra package channels-redis."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

CAPACITY = 50  # batches that wait for one listener; five seconds
GROUP_EXPIRY_SECONDS = 7 * 24 * 3600  # a log page may stay open for days
INSTALL = 'redis.url is set, but channels-redis is not installed. Run: pip install "nokori[redis]"'


def channel_layer(redis_url: str) -> dict[str, Any]:
    """One entry of Django's setting (Any: as Django has it)."""
    options = {"capacity": CAPACITY, "group_expiry": GROUP_EXPIRY_SECONDS}
    if not redis_url:
        return {"BACKEND": "channels.layers.InMemoryChannelLayer", "CONFIG": options}
    return {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": options | {"hosts": [redis_url]}}


def missing_package(redis_url: str) -> str:
    """One sentence when the layer cannot be made; "" when it can."""
    return INSTALL if redis_url and find_spec("channels_redis") is None else ""
