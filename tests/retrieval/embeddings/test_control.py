"""The server from outside, while a stand-in, a lock without an answer, or nobody is there."""

from pathlib import Path

import pytest
from filelock import FileLock

from retrieval.embeddings import control
from retrieval.embeddings.record import read_record, update_record
from tests.retrieval.listener import listening, write_address


def test_nobody_is_there(data_folder):
    update_record(data_folder, model_id="fake", dimensions=64)

    found = control.status(data_folder)

    assert (found.state, found.is_up, found.model, found.dimensions) == ("absent", False, "fake", 64)


def test_what_a_server_of_another_version_says_otherwise_is_passed_over(data_folder):
    answer = {"state": "ready", "model": "fake", "mood": "fine", "rules": "many", "up_seconds": 3}
    with listening(data_folder, sends=answer):
        found = control.status(data_folder)

    assert (found.state, found.model, found.is_up, found.rules, found.up_seconds) == ("ready", "fake", True, -1, 3)


def test_who_holds_the_lock_and_does_not_answer_is_hung(data_folder):
    write_address(data_folder, unix=data_folder.embed_socket, pid=7, version="0.1.0")

    with FileLock(data_folder.embed_lock):
        found = control.status(data_folder)

    assert (found.state, found.is_up, found.pid) == ("hung", False, 7)


def test_starting_forgets_what_it_failed_of_and_that_it_was_stopped(data_folder):
    update_record(data_folder, problem="No model.", failed_at=1.0, stopped_at=2.0, model_id="fake")

    assert control.start(data_folder, spawn=lambda folder: folder is data_folder)

    record = read_record(data_folder)
    assert (record.problem, record.failed_at, record.stopped_at, record.model_id) == ("", 0.0, 0.0, "fake")


def test_one_who_waits_hears_why_it_cannot_start(data_folder):
    update_record(data_folder, problem="The model is not there; run `embed prefetch`.")

    with pytest.raises(control.ServerNotStarted, match="run `embed prefetch`"):
        control.wait_until_up(data_folder, seconds=60)


def test_one_who_waits_does_not_wait_for_ever(data_folder):
    with (
        listening(data_folder, sends={"state": "starting"}),
        pytest.raises(control.ServerNotStarted, match="not ready"),
    ):
        control.wait_until_up(data_folder, seconds=0.3)


def test_stopping_is_remembered_even_when_nobody_was_there(data_folder):
    assert not control.stop(data_folder)

    assert read_record(data_folder).stopped_at > 0


def test_a_process_that_is_not_known_for_certain_is_not_ended(data_folder):
    Path(data_folder.root).mkdir()

    with FileLock(data_folder.embed_lock), pytest.raises(control.ServerNotEnded, match="by hand"):
        control.stop(data_folder)
