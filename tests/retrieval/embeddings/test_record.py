"""What the server leaves for those who look while it does not run."""

from pathlib import Path

import pytest

from retrieval.embeddings.record import Record, read_record, update_record


def test_without_a_record_nothing_is_known(data_folder):
    assert read_record(data_folder) == Record()


def test_what_is_written_is_read_and_the_rest_stays(data_folder):
    update_record(data_folder, model_id="fake", counter=7)
    update_record(data_folder, problem="No model.", failed_at=1.5)

    assert read_record(data_folder) == Record(model_id="fake", counter=7, problem="No model.", failed_at=1.5)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"counter": "x", "model_id": 7, "new": 1}'], ids=repr)
def test_a_record_that_cannot_be_read_is_none(data_folder, content):
    Path(data_folder.root).mkdir()
    Path(data_folder.embed_record).write_bytes(content)

    assert read_record(data_folder) == Record()
