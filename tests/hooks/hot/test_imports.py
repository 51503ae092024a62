"""What each hook loads: every module costs time at every call, so the lists are pinned."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH, SESSION, hook_line
from tests.retrieval.listener import listening

COSTLY = {  # what a well-meant import line would bring in
    *("json", "re", "enum", "collections", "functools"),
    *("argparse", "asyncio", "ctypes", "dataclasses", "datetime", "decimal", "email", "hashlib", "http", "inspect"),
    *(
        "logging",
        "pathlib",
        "pickle",
        "platform",
        "random",
        "shutil",
        "signal",
        "socket",
        "sqlite3",
        "ssl",
        "subprocess",
    ),
    *("tempfile", "threading", "tomllib", "typing", "urllib", "uuid"),
}
SILENT = {"gc", "os", "hooks.hot.client", "hooks.hot.deadline", "hooks.hot.stamps", "rules.disk"}


@pytest.fixture
def modules_of(data_folder, tmp_path):
    """The modules that one call of an event had loaded when it ended."""

    def run(event, **fields):
        python, _, _, manage, *line = hook_line(event)
        program = (
            "import sys; start = set(sys.modules)\n"
            f"sys.path.insert(0, {str(Path(manage).parent)!r})\n"
            "from hooks.hot.client import run\n"
            f"code = run({line[1:]!r})\n"
            "print(sorted(set(sys.modules) - start), file=sys.stderr)\n"
        )
        payload = {"session_id": SESSION, "cwd": str(tmp_path), "prompt_id": event + str(len(fields)), **fields}
        done = subprocess.run(
            [python, "-I", "-S", "-c", program], input=json.dumps(payload).encode(), capture_output=True, check=True
        )
        return set(json.loads(done.stderr.decode().replace("'", '"')))

    return run


def own(modules):
    return {name for name in modules if name.startswith(("hooks.", "rules.", "retrieval.", "extraction."))}


@pytest.mark.parametrize("event", ["session-start", "user-prompt-submit", "pre-tool-use", "session-end"])
def test_a_hook_loads_nothing_costly(modules_of, publish, event):
    publish(FORCE_PUSH)
    modules_of("session-start", source="startup")  # hashes the project's path, once a session
    modules_of("user-prompt-submit", prompt=FORCE_PROMPT)  # arms the gate

    loaded = modules_of(event, prompt=FORCE_PROMPT, tool_name="Bash", tool_input={"command": "ls"}, source="resume")

    assert loaded & COSTLY == set()


def test_a_tool_call_that_no_gate_waits_for_loads_next_to_nothing(modules_of):
    loaded = modules_of("pre-tool-use", tool_name="Bash")

    assert own(loaded) == {"hooks.hot"} | {name for name in SILENT if "." in name}
    assert loaded & {"json", "re", "struct", "signal", "zlib"} == set()


def test_the_end_of_a_session_parses_nothing(modules_of):
    loaded = modules_of("session-end", reason="other")

    assert loaded & {"json", "re", "struct", "signal", "zlib"} == set()


def test_a_tool_call_at_the_gate_does_not_load_the_search(modules_of, publish, run_hook):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    loaded = modules_of("pre-tool-use", tool_name="Bash", tool_input={"command": "ls"})

    assert {name for name in loaded if name.startswith(("retrieval", "extraction"))} == set()
    assert "hooks.hot.gate" in loaded


def test_the_start_of_a_session_does_not_load_the_search(modules_of, monkeypatch):
    monkeypatch.setenv("NOKORI_EMBED_BACKEND", "light")

    loaded = modules_of("session-start", source="startup")

    assert {name for name in loaded if name.startswith("retrieval.lexical.")} == {"retrieval.lexical.results"}


def test_where_no_model_is_a_prompt_loads_nothing_of_meaning(modules_of, publish, monkeypatch):
    publish(FORCE_PUSH)
    monkeypatch.setenv("NOKORI_EMBED_BACKEND", "none")

    loaded = modules_of("user-prompt-submit", prompt=FORCE_PROMPT)

    meaning = {"embed_client", "embed_frames", "fusion", "languages", "meaning"}
    assert loaded & {"hooks.hot.embedding", *(f"retrieval.lexical.{name}" for name in meaning)} == set()
    assert "retrieval.lexical.search" in loaded


def test_without_a_stemmer_the_hook_still_answers(data_folder, tmp_path):
    """Under -I -S of an interpreter that has no site-packages beside it."""
    link = tmp_path / "bin" / "python"
    link.parent.mkdir()
    link.symlink_to(sys.executable)
    _, *line = hook_line("user-prompt-submit")

    done = subprocess.run(
        [link, *line],
        input=b'{"prompt": "hello"}',
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONHOME": sys.base_prefix},
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_only_a_prompt_that_finds_an_embed_server_loads_sockets(modules_of, publish, data_folder, monkeypatch):
    publish(FORCE_PUSH)
    monkeypatch.setenv("NOKORI_EMBED_ENABLED", "1")
    monkeypatch.setenv("NOKORI_EMBED_BACKEND", "light")

    without = modules_of("user-prompt-submit", prompt=FORCE_PROMPT)
    with listening(data_folder, sends={"state": "starting"}):
        found = modules_of("user-prompt-submit", prompt=FORCE_PROMPT, model="another")

    assert "_socket" not in without
    assert "_socket" in found
    assert found & (COSTLY | {"numpy", "selectors"}) == set()
