from pathlib import Path

import pytest

from rules.disk import APPLICATION_ID, SQLITE_MAGIC
from tests.hooks.hot.conftest import OpenHook

PAYLOAD = '{"session_id": "s1", "cwd": "/w", "prompt": "dismiss a3f2b1", "tool_name": "Bash", "tool_input": {}}'
EVENTS = ("session-start", "user-prompt-submit", "pre-tool-use", "session-end", "no-such-event")


@pytest.fixture
def rules_db(data_folder) -> Path:
    Path(data_folder.root).mkdir()
    return Path(data_folder.database)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("content", [SQLITE_MAGIC + bytes(200), b"not a database"], ids=["database", "other file"])
def test_a_hook_leaves_no_trace_in_another_programs_folder(rules_db, run_manage, event, content):
    rules_db.write_bytes(content)

    result = run_manage("hook", event, stdin=PAYLOAD)

    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert [path.name for path in rules_db.parent.iterdir()] == ["rules.db"]


def test_nor_does_one_whose_payload_is_too_large(rules_db, run_manage):
    rules_db.write_bytes(SQLITE_MAGIC + bytes(200))

    run_manage("hook", "user-prompt-submit", stdin=" " * (16 * 1024 * 1024 + 1))

    assert [path.name for path in rules_db.parent.iterdir()] == ["rules.db"]


def test_nor_does_one_that_is_late(rules_db):
    rules_db.write_bytes(SQLITE_MAGIC + bytes(200))

    OpenHook("pre-tool-use").end()

    assert [path.name for path in rules_db.parent.iterdir()] == ["rules.db"]


@pytest.mark.parametrize(
    "content", [b"", SQLITE_MAGIC.ljust(68, b"\0") + APPLICATION_ID + bytes(200)], ids=["empty", "ours"]
)
def test_a_hook_works_in_our_own_folder_before_anything_is_published(rules_db, run_manage, content):
    rules_db.write_bytes(content)

    run_manage("hook", "session-start", stdin=PAYLOAD)

    assert Path(rules_db.parent, "spool", "new").is_dir()
