"""Log lines through a real Redis server: they arrive, and a server that went away and came back stops nothing for good."""

import asyncio
import logging
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from channels.layers import channel_layers
from redis.exceptions import RedisError

from nokori_site import log_stream
from nokori_site.channel_layer import channel_layer
from tests.nokori_site.test_log_stream import Listener, line, write

needs_redis = pytest.mark.skipif(
    shutil.which("redis-server") is None, reason="redis-server is not installed; .ci/run has it"
)
pytestmark = needs_redis
PASSWORD = "s3cret-of-redis"  # noqa: S105
WAIT_SECONDS = 20


class Redis:
    """A server of this test alone, on a port of its own; it keeps nothing on the disk."""

    def __init__(self, folder):
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process = None

    @property
    def url(self):
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def start(self):
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        command = ["redis-server", *options, "--requirepass", PASSWORD, "--dir", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise TimeoutError("redis-server does not listen")

    def stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@pytest.fixture
def redis(tmp_path):
    server = Redis(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def logs(data_folder, redis, settings):
    """The folder of the logs, which are told through that server."""
    folder = Path(data_folder.logs)
    folder.mkdir(parents=True)
    settings.CHANNEL_LAYERS = {"default": channel_layer(redis.url)}
    channel_layers.backends.clear()
    yield folder
    log_stream.tailers.clear()
    channel_layers.backends.clear()


def test_lines_arrive_at_every_page(logs):
    write(logs / "hook.log", line(1))

    async def listen():
        async with Listener() as first, Listener() as second:
            before = [await first.words(1), await second.words(1)]
            write(logs / "hook.log", line(2))
            return before, [await first.words(1), await second.words(1)]

    assert asyncio.run(listen()) == ([["n1"], ["n1"]], [["n2"], ["n2"]])


def test_a_page_that_comes_back_after_an_outage_gets_lines_again(logs, redis):
    write(logs / "hook.log", line(1))

    async def listen():
        with suppress(RedisError):  # what ends the page's side
            async with Listener() as page:
                await page.words(1)
                redis.stop()
                write(logs / "hook.log", line(2))
                await cut_off()
        redis.start()
        return await come_back(logs)

    assert asyncio.run(listen()) == (["n1", "n2"], ["n3"])


async def come_back(logs):
    """As the page does: again and again. The first attempt may meet a connection from before the outage."""
    for _ in range(WAIT_SECONDS):
        with suppress(RedisError, AssertionError):
            async with Listener() as page:
                before = await page.words(2)
                write(logs / "hook.log", line(3))
                return before, await page.words(1)
    return None


async def cut_off():
    """Until the tailer knows that nobody hears it."""
    for tailer in log_stream.tailers.values():
        for _ in range(WAIT_SECONDS * 10):
            if not tailer.has_listeners:
                return
            await asyncio.sleep(0.1)
    raise AssertionError("the tailer still sends to a server that is away")


def test_a_server_that_is_away_is_written_down_without_its_password(logs, redis, caplog):
    redis.stop()
    codes = []

    async def listen():
        with suppress(RedisError):
            async with Listener() as page:
                codes.append(await page.closed())

    with caplog.at_level(logging.ERROR):
        asyncio.run(listen())

    assert codes == [log_stream.UNAVAILABLE]

    assert "The log stream cannot be joined." in caplog.text
    assert PASSWORD not in caplog.text
