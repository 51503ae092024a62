"""Encoding all rules anew: how far it is, and what ends it early."""

from pathlib import Path

import pytest
from filelock import FileLock

from nokori_site.embed_reindex import ReindexFailed, reindex
from tests.retrieval.listener import listening, write_address

READY = {"state": "ready", "version": "0.1.0", "model": "fake", "rules": 3, "missing": 0, "is_indexing": False}


def nothing_starts(_):
    return False


def run(folder, watch=lambda done, total: None):
    return reindex(folder, spawn=nothing_starts, watch=watch)


def test_it_asks_the_server_and_tells_how_far_it_is(data_folder):
    seen: list[tuple[int, int]] = []
    with listening(data_folder, sends=READY) as questions:
        found = run(data_folder, lambda done, total: seen.append((done, total)))

    assert (found.rules, found.model) == (3, "fake")
    assert seen == [(3, 3)]
    assert "reindex" in [question["ask"] for question in questions]


def test_what_keeps_the_server_from_encoding_is_told(data_folder):
    failing = READY | {"problem": "The endpoint failed."}

    with listening(data_folder, sends=failing), pytest.raises(ReindexFailed, match=r"The endpoint failed\."):
        run(data_folder)


def test_a_hung_server_is_named_with_the_way_out(data_folder):
    Path(data_folder.root).mkdir(exist_ok=True)
    write_address(data_folder, unix=data_folder.embed_socket, pid=7)

    with FileLock(data_folder.embed_lock), pytest.raises(ReindexFailed, match="embed stop"):
        run(data_folder)


def test_where_nothing_can_be_started_it_says_so(data_folder):
    with pytest.raises(ReindexFailed, match="No process can be started"):
        run(data_folder)
