from datetime import UTC, datetime
from pathlib import Path

import pytest

from nokori_site.logs import MAX_LOG_BYTES, append_line, rotate_logs

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


@pytest.fixture
def logs(data_folder) -> Path:
    path = Path(data_folder.logs)
    path.mkdir(parents=True)
    return path


def test_a_line_has_time_level_and_source(data_folder):
    append_line(data_folder, "settle", "filed=3\nbad=0", level="ERROR", now=NOW)

    assert Path(data_folder.logs, "settle.log").read_text() == "2026-11-30T10:00:00Z ERROR settle filed=3 bad=0\n"


def test_a_full_log_is_moved_aside_and_the_oldest_is_dropped(data_folder, logs):
    (logs / "hook.log").write_bytes(b"0" * MAX_LOG_BYTES)
    for number in (1, 2, 3):
        (logs / f"hook.log.{number}").write_text(str(number))

    assert rotate_logs(data_folder) == 1

    assert sorted(path.name for path in logs.iterdir()) == ["hook.log.1", "hook.log.2", "hook.log.3"]
    assert [(logs / f"hook.log.{number}").read_text()[:1] for number in (1, 2, 3)] == ["0", "1", "2"]


def test_a_log_that_is_not_full_stays(data_folder, logs):
    (logs / "hook.log").write_text("line\n")

    assert rotate_logs(data_folder) == 0
    assert (logs / "hook.log").exists()
