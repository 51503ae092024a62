"""Session start and session end: what they leave, and that they wait for nothing."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rules.projects import project_id
from tests.hooks.hot.conftest import SESSION, hook_line


def payload_of(note):
    return json.loads(note["payload"])


def test_a_start_leaves_a_note_and_a_session_file(run_hook, notes, data_folder, tmp_path):
    done = run_hook("session-start", source="startup", transcript_path="/t/s.jsonl")

    assert done.is_pass
    (note,) = notes()
    assert (note["kind"], note["source"], note["transcript_path"]) == ("session_start", "startup", "/t/s.jsonl")
    assert (note["session_id"], note["project_id"]) == (SESSION, project_id(str(tmp_path)))
    assert Path(data_folder.sessions, f"{SESSION}.json").exists()


def test_compaction_and_resumption_are_two_starts(run_hook, notes):
    run_hook("session-start", source="compact")
    run_hook("session-start", source="resume")

    assert [note["source"] for note in notes()] == ["compact", "resume"]


def test_two_registrations_of_one_start_leave_one_note(run_hook, notes):
    run_hook("session-start", source="startup")
    run_hook("session-start", source="startup")

    assert len(notes()) == 1


def test_an_end_leaves_the_payload_as_it_came(run_hook, notes, tmp_path):
    done = run_hook("session-end", reason="other", transcript_path='/t/\u6f22 "quoted"\\ \u2028.jsonl')

    assert done.is_pass
    (note,) = notes()
    assert note["kind"] == "session_end"
    assert payload_of(note) == {
        "session_id": SESSION,
        "cwd": str(tmp_path),
        "reason": "other",
        "transcript_path": '/t/\u6f22 "quoted"\\ \u2028.jsonl',
    }


@pytest.mark.parametrize("raw", [b"", b"no JSON", b'{"half', b'\xff\x00\x1f\\"', b'{"a": "\n\t"}', b"x" * 200_000])
def test_a_broken_payload_still_makes_a_sound_note(run_hook, notes, raw):
    assert run_hook("session-end", raw=raw).is_pass

    (note,) = notes()
    assert note["payload"] == raw[:65_536].decode("utf-8", "replace")


def test_several_ends_of_one_session_leave_a_note_each(run_hook, notes):
    for _ in range(2):
        run_hook("session-end", reason="other")

    assert len(notes("session_end")) == 2


def test_nb055_a_long_transcript_is_not_read_at_the_end(run_hook, notes, tmp_path):
    transcript = tmp_path / "session.jsonl"
    os.mkfifo(transcript)  # opening it would wait for ever

    done = run_hook("session-end", reason="other", transcript_path=str(transcript))

    assert done.is_pass
    assert len(notes("session_end")) == 1


@pytest.mark.parametrize("event", ["session-start", "session-end"])
def test_nb046_settle_is_started_detached_and_not_waited_for(data_folder, tmp_path, event):
    """A stand-in for the program: its settle takes longer than any hook may."""
    program = tmp_path / "program"
    program.mkdir()
    stand_in = program / "manage.py"
    stand_in.write_text(
        "import pathlib, sys, time\n"
        f"sys.path.insert(0, {str(Path(hook_line('x')[3]).parent)!r})\n"
        "if sys.argv[1] == 'settle':\n"
        "    time.sleep(2)\n"
        f"    pathlib.Path({str(tmp_path / 'settled')!r}).write_text(' '.join(sys.argv[1:]))\n"
        "else:\n"
        "    import hooks.hot.spawn as spawn\n"
        f"    spawn.MANAGE = {str(stand_in)!r}\n"
        "    from hooks.hot.client import run\n"
        "    sys.exit(run(sys.argv[2:]))\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NOKORI_NO_SPAWN"}
    started = time.monotonic()

    done = subprocess.run(
        [sys.executable, "-I", "-S", str(stand_in), "hook", event],
        input=json.dumps({"session_id": SESSION}).encode(),
        capture_output=True,
        check=False,
        env=environment,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - started < 2
    wait_for(tmp_path / "settled", seconds=20)
    assert (tmp_path / "settled").read_text() == "settle"


def test_nb047_the_note_of_an_end_is_left_before_anything_else_is_tried(data_folder, notes, monkeypatch):
    """What is started afterwards cannot be started here, and the note is there all the same."""
    environment = {name: value for name, value in os.environ.items() if name != "NOKORI_NO_SPAWN"}
    program = f"import sys; sys.path.insert(0, {str(Path(hook_line('x')[3]).parent)!r}); sys.executable = '/nowhere'\n"
    program += "from hooks.hot.client import run; sys.exit(run(['session-end']))"

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=b'{"session_id": "s"}',
        capture_output=True,
        check=False,
        env=environment,
    )

    assert (done.returncode, done.stdout) == (0, b"")
    assert [note["kind"] for note in notes()] == ["session_end", "failure"]


def test_an_end_of_a_disabled_program_leaves_nothing(run_hook, data_folder, notes):
    Path(data_folder.published).mkdir(parents=True)
    Path(data_folder.published, "disabled").touch()

    run_hook("session-end", reason="other")

    assert notes() == []


def test_the_environment_switches_it_on_again(run_hook, data_folder, notes):
    Path(data_folder.published).mkdir(parents=True)
    Path(data_folder.published, "disabled").touch()

    run_hook("session-end", reason="other", env={"NOKORI_DISABLED": "0"})

    assert len(notes("session_end")) == 1


def wait_for(path, *, seconds):
    end = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
