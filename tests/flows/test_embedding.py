"""Matching by meaning, end to end with the light model: nobody starts anything by hand, and nothing is waited for."""

import json
import time

import pytest
from filelock import FileLock, Timeout

from retrieval.embeddings import control

TRIGGER = "Restoring a database backup"
SAME_IN_GERMAN = "Wiederherstellung der Datenbank aus der Sicherung"  # not a word of it in the rule
PATIENCE_SECONDS = 60


@pytest.fixture
def host(data_folder, run_manage, monkeypatch, tmp_path):
    """host("user-prompt-submit", prompt=...): what the agent gets; the hooks may start what they like."""
    monkeypatch.setenv("NOKORI_EMBED_BACKEND", "light")
    monkeypatch.setenv("NOKORI_EMBED_ENABLED", "1")
    monkeypatch.setenv("NOKORI_HOOK_EMBED_WAIT_MS", "5000")
    monkeypatch.delenv("NOKORI_NO_SPAWN")

    def call(event, **fields):
        payload = {"session_id": "3f0c8a52-5d0e-4f6b-9b6e-2f1f6d1c7a10", "cwd": str(tmp_path), **fields}
        done = run_manage("hook", event, stdin=json.dumps(payload))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    yield call
    until(lambda: not settles(data_folder))
    control.stop(data_folder)


def until(is_true):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.1)


def settles(folder):
    try:
        with FileLock(folder.settle_lock, timeout=0):
            return False
    except Timeout:
        return True


def test_a_prompt_without_a_word_of_the_rule_finds_it_once_the_server_is_up(host, run_manage, data_folder):
    assert run_manage("add", "--trigger", TRIGGER, "--action", "Ask before overwriting data").returncode == 0

    by_words = host("user-prompt-submit", prompt=SAME_IN_GERMAN, prompt_id="1")
    until(lambda: control.status(data_folder).state == "ready" and not control.status(data_folder).is_indexing)
    by_meaning = host("user-prompt-submit", prompt=SAME_IN_GERMAN, prompt_id="2")

    assert by_words == ""
    assert "Ask before overwriting data" in by_meaning
