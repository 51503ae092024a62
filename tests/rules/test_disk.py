import os

import pytest

from rules import disk


@pytest.fixture
def busy(monkeypatch):
    """busy(2): as on Windows, where a reader has the file open while the first two renames are tried."""

    def make_busy(times: int) -> None:
        refusals = [PermissionError("in use")] * times
        replace = os.replace

        def refuse_first(source: str, target: str) -> None:
            if refusals:
                raise refusals.pop()
            replace(source, target)

        monkeypatch.setattr(os, "replace", refuse_first)

    monkeypatch.setattr(disk, "REPLACE_TRIES", 3)
    monkeypatch.setattr(disk, "REPLACE_PAUSE_SECONDS", 0)
    return make_busy


def test_a_file_that_a_reader_has_open_for_a_moment_is_replaced_after_it(tmp_path, busy):
    busy(2)

    disk.write_atomic(str(tmp_path / "file"), b"new")

    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_file_that_stays_open_is_left_as_it_was_and_nothing_beside_it(tmp_path, busy):
    (tmp_path / "file").write_bytes(b"old")
    busy(3)

    with pytest.raises(PermissionError):
        disk.write_atomic(str(tmp_path / "file"), b"new")

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]
