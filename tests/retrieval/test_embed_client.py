"""A hook's question to the embed server: what it says, how long it waits, and that nothing but silence can go wrong."""

import math
import time
from pathlib import Path

import pytest

from retrieval.lexical.embed_client import (
    MAX_ASKED,
    ServerFailed,
    ServerLate,
    ServerMissing,
    ServerSilent,
    ServerStale,
    ServerStarting,
    TooFewRules,
    ask,
)
from retrieval.lexical.embed_frames import MARK, MAX_ANSWER
from tests.retrieval.listener import listening, write_address

ANSWER = {
    "state": "ready",
    "model": "fake",
    "formal": [["r1", 0.75, 4], ["r2", 0.5, 0]],
    "shadow": [["r3", 0.25, 9]],
    "floors": [0.3, 0.4],
    "offset": 0.1,
    "languages": ["en", "zh"],
    "content": "c0ffee",
}


def question(folder, prompt="push to main", wait_ms=2_000):
    return ask(prompt, folder=folder, project_id="shop-1", version="0.1.0", wait_ms=wait_ms)


def test_the_answer_has_a_list_for_each_pool_the_floors_and_the_languages(data_folder):
    with listening(data_folder, sends=ANSWER):
        answer = question(data_folder)

    assert (answer.model_id, answer.floors, answer.offset) == ("fake", (0.3, 0.4), 0.1)
    assert answer.languages == {"en", "zh"}
    assert (answer.formal, answer.shadow) == ([("r1", 0.75), ("r2", 0.5)], [("r3", 0.25)])
    assert (answer.numbers, answer.content_id) == ({"r1": 4, "r2": 0, "r3": 9}, "c0ffee")


def test_a_model_of_every_language_says_so(data_folder):
    with listening(data_folder, sends=ANSWER | {"languages": None}):
        assert question(data_folder).languages is None


def test_the_question_carries_prompt_project_version_and_token(data_folder):
    with listening(data_folder, sends=ANSWER) as questions:
        question(data_folder)

    assert questions == [
        {
            "ask": "near",
            "prompt": "push to main",
            "project": "shop-1",
            "version": "0.1.0",
            "wait_ms": 2_000,
            "least_rules": 0,
            "token": "t0ken",
        }
    ]


def test_of_a_prompt_of_a_megabyte_the_two_ends_are_sent(data_folder):
    with listening(data_folder, sends=ANSWER) as questions:
        question(data_folder, prompt="start" + "\U0001f600x" * 500_000 + "end")

    (asked,) = questions
    assert len(asked["prompt"]) == MAX_ASKED + 1
    assert asked["prompt"].startswith("start")
    assert asked["prompt"].endswith("end")


def test_half_a_character_is_sent_as_a_question_mark(data_folder):
    with listening(data_folder, sends=ANSWER) as questions:
        question(data_folder, prompt="push \ud83d")

    assert questions[0]["prompt"] == "push ?"


def test_without_an_address_nobody_is_asked(data_folder):
    with pytest.raises(ServerMissing):
        question(data_folder)


def test_a_server_that_says_nothing_costs_the_wait_and_no_more(data_folder):
    with listening(data_folder, sends=None):
        start = time.monotonic()
        with pytest.raises(ServerLate, match="within 100 ms"):
            question(data_folder, wait_ms=100)

    assert 0.09 < time.monotonic() - start < 1


@pytest.mark.parametrize(
    "address",
    [
        pytest.param({"unix": "/nowhere/embed.sock"}, id="socket gone"),
        pytest.param({"unix": "/" + "x" * 200}, id="path too long"),
        pytest.param({"unix": "a\0b"}, id="zero byte"),
        pytest.param({"unix": 7}, id="path is a number"),
        pytest.param({"unix": ["a"]}, id="path is a list"),
        pytest.param({"port": 1}, id="nobody at the port"),
        pytest.param({"port": -1}, id="no port"),
        pytest.param({"port": "80"}, id="port is a text"),
        pytest.param({}, id="empty"),
    ],
)
def test_an_address_that_leads_nowhere_is_a_server_that_is_missing(data_folder, address):
    write_address(data_folder, **address)

    with pytest.raises(ServerMissing):
        question(data_folder)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b"\xff", b"[" * 99_999], ids=["empty", "cut", "list", "binary", "deep"]
)
def test_an_address_that_cannot_be_read_is_a_server_that_is_missing(data_folder, content):
    write_address(data_folder)
    Path(data_folder.embed_address).write_bytes(content)

    with pytest.raises(ServerMissing):
        question(data_folder)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        pytest.param({"state": "starting"}, ServerStarting, id="starting"),
        pytest.param({"state": "stale"}, ServerStale, id="another version"),
        pytest.param({"state": "few"}, TooFewRules, id="too few rules"),
        pytest.param({"state": "failed", "problem": "no model"}, ServerFailed, id="failed"),
        pytest.param({}, ServerFailed, id="no state"),
        pytest.param(ANSWER | {"floors": [1]}, ServerFailed, id="one floor"),
        pytest.param(ANSWER | {"formal": 7}, ServerFailed, id="no list"),
        pytest.param(ANSWER | {"formal": [["r1", "near", 4]]}, ServerFailed, id="cosine is a text"),
        pytest.param(ANSWER | {"formal": [["r1", math.nan, 4]]}, ServerFailed, id="cosine is no number"),
        pytest.param(ANSWER | {"shadow": [["r1", math.inf, 4]]}, ServerFailed, id="cosine is infinite"),
        pytest.param(ANSWER | {"formal": [["r1", 2.0, 4]]}, ServerFailed, id="cosine above 1"),
        pytest.param(ANSWER | {"formal": [["r1", 10**400, 4]]}, ServerFailed, id="cosine that no float holds"),
        pytest.param(ANSWER | {"formal": [["r1", 0.5, math.inf]]}, ServerFailed, id="rule number is infinite"),
        pytest.param(ANSWER | {"formal": [["r1", 0.5, 10**400]]}, ServerFailed, id="rule number that no float holds"),
        pytest.param(ANSWER | {"formal": ["123"]}, ServerFailed, id="entry is a text"),
        pytest.param(ANSWER | {"offset": math.nan}, ServerFailed, id="offset is no number"),
        pytest.param(ANSWER | {"floors": [10**400, 1]}, ServerFailed, id="floor that no float holds"),
        pytest.param({"state": "ready"}, ServerFailed, id="nothing in it"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", ServerFailed, id="another protocol"),
        pytest.param(b"", ServerFailed, id="closed"),
        pytest.param(MARK + (MAX_ANSWER + 1).to_bytes(4, "big"), ServerFailed, id="too large"),
        pytest.param(MARK + b"\0\0\0\x02{", ServerFailed, id="cut off"),
        pytest.param(MARK + b"\0\0\0\x01{", ServerFailed, id="not JSON"),
        pytest.param(MARK + b"\0\0\0\x02[]", ServerFailed, id="not an object"),
    ],
)
def test_what_is_no_answer_says_why(data_folder, answer, kind):
    with listening(data_folder, sends=answer), pytest.raises(kind) as silent:
        question(data_folder)

    assert isinstance(silent.value, ServerSilent)
    assert str(silent.value)
