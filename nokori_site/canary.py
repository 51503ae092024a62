"""A canary through the whole way: a rule of its own > a prompt to the real client > is the rule in the transcript?

The rule lives in a throwaway data folder, which the client's hooks are pointed to for this one call; the client's own
transcript of it is deleted again. One short request goes to the model that the client uses.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from extraction.llm import PARENT_MARKS
from nokori_site.config import MANAGE
from nokori_site.finding import Finding, State
from rules.disk import DataFolder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TRIGGER = "Nokori canary: checking that a rule reaches the agent"
PROMPT = f"{TRIGGER}. Answer with the one word: ok"
CLIENT_SECONDS = 120.0
ATTACHED = "hook_additional_context"  # how the client's transcript names what a hook told the agent
INSTALL = "Run: manage.py install"


def check_canary(folder: DataFolder, *, environ: Mapping[str, str], word: str) -> Iterator[Finding]:
    """word: one that stands nowhere else."""
    client = shutil.which("claude", path=environ.get("PATH"))
    if client is None:
        yield _find(State.NOTE, "there is no `claude` command on the PATH to try it with")
        return
    with TemporaryDirectory(prefix="nokori-canary-") as place:
        throwaway = DataFolder(str(Path(place, "data")))
        try:
            _teach(throwaway, word=word, environ=environ)
            _take_plugin_along(folder, throwaway)
            _ask(client, place=place, environ=_environment(environ, throwaway))
        except (subprocess.SubprocessError, OSError) as error:
            yield _find(State.FAIL, f"the client did not answer ({type(error).__name__})", "Run: claude -p hello")
            return
        yield _judge(_notes(throwaway), word=word)


def _teach(throwaway: DataFolder, *, word: str, environ: Mapping[str, str]) -> None:
    rule = ("--trigger", TRIGGER, "--action", f"The canary's word is {word}")
    command = [sys.executable, "-I", str(MANAGE), "add", *rule]
    subprocess.run(command, env=_environment(environ, throwaway), capture_output=True, check=True)


def _take_plugin_along(folder: DataFolder, throwaway: DataFolder) -> None:
    """The plugin's hooks look up in the data folder which program they call."""
    if Path(folder.plugin_program).exists():
        shutil.copy(folder.plugin_program, throwaway.plugin_program)


def _ask(client: str, *, place: str, environ: Mapping[str, str]) -> None:
    command = [client, "-p", PROMPT, "--model", "haiku"]
    subprocess.run(
        command,
        env=environ,
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=CLIENT_SECONDS,
        check=True,
    )


def _environment(environ: Mapping[str, str], throwaway: DataFolder) -> dict[str, str]:
    """Without our settings, and without what tells the client that it runs inside another of its sessions."""
    kept = {
        name: value for name, value in environ.items() if not name.startswith("NOKORI_") and name not in PARENT_MARKS
    }
    return {**kept, "NOKORI_DATA_DIR": throwaway.root, "NOKORI_NO_SPAWN": "1"}


def _notes(throwaway: DataFolder) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(Path(throwaway.spool_new).glob("*.json"))]


def _judge(notes: list[dict[str, Any]], *, word: str) -> Finding:
    prompts = [note for note in notes if note["kind"] == "prompt"]
    transcripts = [note["transcript_path"] for note in notes if note["kind"] == "session_start"]
    if not prompts:
        return _find(State.FAIL, "the client called no prompt hook of Nokori's", INSTALL)
    if not prompts[0]["shown"]:
        return _find(State.FAIL, "the prompt hook ran and found no rule", "Run: manage.py settle, then this again.")
    if not transcripts:
        return _find(State.FAIL, "the client called no session start hook of Nokori's", INSTALL)
    if _is_in_transcript(Path(transcripts[0]), word):
        return _find(State.OK, "a rule reached the agent: it is in the client's transcript")
    return _find(
        State.FAIL, "the hook gave the rule, but the client's transcript does not hold it", "Update the client."
    )


def _is_in_transcript(path: Path, word: str) -> bool:
    """Whether the client attached it; the transcript, which nobody needs, is gone afterwards."""
    try:
        lines = path.read_bytes().splitlines()
        path.unlink()
    except OSError:
        return False
    with suppress(OSError):  # not empty: the client keeps more there
        path.parent.rmdir()
    return any(_is_attached(line, word) for line in lines if word.encode() in line)


def _is_attached(line: bytes, word: str) -> bool:
    try:
        attachment = json.loads(line).get("attachment")
    except (ValueError, AttributeError):
        return False
    return isinstance(attachment, dict) and attachment.get("type") == ATTACHED and word in json.dumps(attachment)


def _find(state: State, detail: str, remedy: str = "") -> Finding:
    return Finding("canary", state, detail, remedy)
