"""What `health` says of the Redis server that the settings name."""

import socket
from types import SimpleNamespace
from typing import cast

import pytest

from nokori_site import health_redis
from nokori_site.config import Config
from nokori_site.finding import State
from nokori_site.health_redis import check_redis
from tests.nokori_site.test_log_stream_redis import PASSWORD, needs_redis
from tests.nokori_site.test_log_stream_redis import redis as redis  # a fixture


def found(url):
    return list(check_redis(cast("Config", SimpleNamespace(redis_url=url))))


def test_without_an_address_there_is_nothing_to_say():
    assert found("") == []


@needs_redis
def test_one_that_answers_is_fine_and_its_password_is_not_shown(redis):
    (finding,) = found(redis.url)

    assert (finding.state, finding.detail) == (State.OK, f"127.0.0.1:{redis.port} answers")


@needs_redis
def test_a_wrong_password_is_told_without_it(redis):
    (finding,) = found(redis.url.replace(PASSWORD, "wr0ng"))

    assert finding.state is State.FAIL
    assert "AuthenticationError" in finding.detail
    assert "wr0ng" not in f"{finding}"


def test_one_that_is_away_is_told_with_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    (finding,) = found(f"redis://:{PASSWORD}@127.0.0.1:{port}/0")

    assert finding.state is State.FAIL
    assert finding.detail == f"127.0.0.1:{port} cannot be reached (ConnectionError)"
    assert finding.remedy.startswith("Start it, or take redis.url away")


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1/", "redis://127.0.0.1:port/"])
def test_an_address_that_is_none_is_a_finding_and_no_error(url):
    (finding,) = found(url)

    assert finding.state is State.FAIL


def test_a_missing_package_is_told_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setattr(health_redis, "missing_package", lambda url: "missing")

    (finding,) = found("redis://127.0.0.1:6379/0")

    assert finding.state is State.FAIL
    assert finding.remedy == 'Run: pip install "nokori[redis]"'
