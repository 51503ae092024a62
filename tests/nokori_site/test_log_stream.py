"""Log lines arrive live: from every file, through rotation; whoever is too slow loses lines and is told how many."""

import asyncio
import json
from pathlib import Path

import pytest
from channels.layers import channel_layers
from channels.testing import WebsocketCommunicator

from nokori_site import log_stream
from nokori_site.log_reading import level_of
from nokori_site.log_stream import FRAMES_AHEAD, LogConsumer
from nokori_site.log_tailer import BATCH_LINES, RING_LINES

WAIT_SECONDS = 10


@pytest.fixture
def logs(data_folder):
    """The folder of the logs; its tailer and layer are those of this test."""
    folder = Path(data_folder.logs)
    folder.mkdir(parents=True)
    channel_layers.backends.clear()
    yield folder
    log_stream.tailers.clear()
    channel_layers.backends.clear()


def line(number, *, level="INFO", name="hook"):
    return f"2026-11-30T10:00:00Z {level} {name} [s] n{number}\n"


def write(path, text):
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


class Listener:
    """A page that listens, and answers each frame unless it is told not to."""

    def __init__(self):
        self._socket = WebsocketCommunicator(LogConsumer.as_asgi(), "/ws/logs/")

    async def __aenter__(self):
        accepted, _ = await self._socket.connect()
        assert accepted
        return self

    async def __aexit__(self, *_):
        await self._socket.disconnect()

    async def frame(self):
        return json.loads(await self._socket.receive_from(WAIT_SECONDS))

    async def answer(self):
        await self._socket.send_to("1")

    async def words(self, count):
        """The last word of that many lines, over as many frames as it takes."""
        seen: list[str] = []
        while len(seen) < count:
            seen += [text.split()[-1] for *_, text in (await self.frame())["lines"]]
            await self.answer()
        return seen

    async def closed(self):
        """The code with which the server hangs up."""
        message = await self._socket.receive_output(WAIT_SECONDS)
        assert message["type"] == "websocket.close"
        return message["code"]

    async def is_quiet(self):
        return await self._socket.receive_nothing(0.5)


def test_a_listener_sees_the_last_lines_first_and_then_each_new_one(logs):
    write(logs / "hook.log", line(1))

    async def listen():
        async with Listener() as page:
            before = await page.words(1)
            write(logs / "hook.log", line(2))
            write(logs / "settle.log", line(3, name="settle"))
            return before, sorted(await page.words(2))

    assert asyncio.run(listen()) == (["n1"], ["n2", "n3"])


def test_a_line_comes_with_time_level_and_file(logs):
    write(logs / "pipeline.log", line(1, level="WARNING"))

    async def listen():
        async with Listener() as page:
            return (await page.frame())["lines"]

    assert asyncio.run(listen()) == [["2026-11-30T10:00:00Z", "warn", "pipeline", line(1, level="WARNING").strip()]]


def test_rotation_loses_nothing(logs):
    path = logs / "hook.log"
    write(path, line(1))

    async def listen():
        async with Listener() as page:
            await page.words(1)
            write(path, line(2))
            path.rename(logs / "hook.log.1")
            write(path, line(3))
            return await page.words(2)

    assert asyncio.run(listen()) == ["n2", "n3"]


def test_a_file_that_was_cut_is_read_from_its_start(logs):
    path = logs / "hook.log"
    write(path, line(1) * 3)

    async def listen():
        async with Listener() as page:
            await page.words(3)
            path.write_text(line(4).replace("10:00:00", "11:00:00") * 5)
            return await page.words(5)

    assert asyncio.run(listen()) == ["n4"] * 5


def test_every_listener_of_a_process_shares_one_tailer(logs):
    async def listen():
        async with Listener() as first, Listener() as second:
            await first.words(0)
            tailers = len(log_stream.tailers)
            for page in (first, second):
                await page.frame()
            write(logs / "hook.log", line(1))
            return tailers, await first.words(1), await second.words(1)

    assert asyncio.run(listen()) == (1, ["n1"], ["n1"])


def test_without_listeners_nothing_reads(logs):
    async def listen():
        async with Listener() as page:
            await page.frame()
        return dict(log_stream.tailers), len(asyncio.all_tasks())

    assert asyncio.run(listen()) == ({}, 1)


def test_a_page_that_does_not_keep_up_loses_lines_and_is_told_how_many(logs):
    async def listen():
        async with Listener() as page:
            await page.frame()
            frames = []
            for number in range(FRAMES_AHEAD + 5):
                write(logs / "hook.log", line(number))
                await asyncio.sleep(0.15)
            while not await page.is_quiet():
                frames.append(await page.frame())
            await page.answer()
            return len(frames), (await page.frame())["missed"]

    frames, missed = asyncio.run(listen())

    assert frames == FRAMES_AHEAD - 1  # the first one was that of the beginning
    assert 1 <= missed <= 6


def test_a_burst_is_cut_to_its_newest_lines_and_the_rest_counted(logs):
    async def listen():
        async with Listener() as page:
            await page.frame()
            write(logs / "hook.log", "".join(line(number) for number in range(BATCH_LINES + 500)))
            return await page.frame()

    frame = asyncio.run(listen())

    assert len(frame["lines"]) <= BATCH_LINES
    assert frame["missed"] + len(frame["lines"]) == BATCH_LINES + 500


def test_the_beginning_is_bounded_too(logs):
    write(logs / "hook.log", "".join(line(number) for number in range(RING_LINES * 2)))

    async def listen():
        async with Listener() as page:
            return (await page.frame())["lines"]

    lines = asyncio.run(listen())

    assert len(lines) == RING_LINES
    assert lines[-1][-1].endswith(f"n{RING_LINES * 2 - 1}")


def test_a_secret_in_a_log_is_not_sent(logs):
    key = "sk-ant-" + "a1B2c3D4e5F6g7H8" * 6
    write(logs / "async-extract.log", f"2026-11-30T10:00:00Z ERROR x [s] key {key}\n")

    async def listen():
        async with Listener() as page:
            return str(await page.frame())

    assert key not in asyncio.run(listen())


@pytest.mark.parametrize(
    ("word", "level"), [("info", "info"), ("warning", "warn"), ("critical", "error"), ("", "error"), ("odd", "error")]
)
def test_every_word_is_one_of_four_levels(word, level):
    assert level_of(word) == level


def test_NB077_five_log_pages_never_touch_the_database(logs):  # noqa: N802  the report's name
    """pytest-django fails this test at the first use of the database, in whatever thread."""

    async def listen():
        pages = [Listener() for _ in range(5)]
        for page in pages:
            await page.__aenter__()
            await page.frame()
        for number in range(20):
            write(logs / "hook.log", line(number))
        seen = [len(await page.words(20)) for page in pages]
        for page in pages:
            await page.__aexit__()
        return seen

    assert asyncio.run(listen()) == [20] * 5
