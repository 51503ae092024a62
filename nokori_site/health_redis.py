"""Check of the Redis server that carries log lines, when the settings name one. Its password is never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from nokori_site.channel_layer import missing_package
from nokori_site.finding import Finding, State
from nokori_site.remedies import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nokori_site.config import Config

NAME = "redis"
TIMEOUT_SECONDS = 2.0


def check_redis(config: Config) -> Iterator[Finding]:
    if not config.redis_url:
        return
    if missing_package(config.redis_url):
        detail = _("redis.url is set, but channels-redis is not installed, so `web` does not start")
        yield Finding(NAME, State.FAIL, detail, run('pip install "nokori[redis]"'))
        return
    server = _shown(config.redis_url)
    if problem := _problem_of(config.redis_url):
        detail = _("%(server)s cannot be reached (%(error)s)") % {"server": server, "error": problem}
        remedy = _("Start it, or take redis.url away: log lines then go through memory.")
        yield Finding(NAME, State.FAIL, detail, remedy)
    else:
        yield Finding(NAME, State.OK, _("%(server)s answers") % {"server": server})


def _shown(url: str) -> str:
    """Where it is, without a name or password."""
    return urlsplit(url).netloc.rpartition("@")[2] or urlsplit(url).path


def _problem_of(url: str) -> str:
    """Never the server's own words, which may repeat what it was told."""
    from redis import Redis, RedisError  # noqa: PLC0415  an extra package

    try:
        with Redis.from_url(url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS) as server:
            server.ping()
    except (RedisError, OSError, ValueError) as error:
        return type(error).__name__
    return ""
