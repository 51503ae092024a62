"""The client: whatever comes, exit 0 and an empty or valid answer, within the deadline, and a note where health looks."""

import fcntl
import os
import resource
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from hooks.hot.client import TRUE_WORDS
from rules import fields
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH, SESSION, OpenHook, hook_line

EVENTS = ("session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "session-end")
BAD_INPUT = {
    "empty": b"",
    "no JSON": b"nonsense",
    "half an object": b'{"session_id": "a',
    "a list": b"[]",
    "null": b"null",
    "a string": b'"text"',
    "a number": b"1e999",
    "a huge integer": b'{"prompt": ' + b"9" * 5000 + b"}",
    "no text": b"\xff\xfe\x00\x9f",
    "cp932": '{"prompt": "\u5f37\u5236"}'.encode("cp932"),
    "deep": b"[" * 100_000,
    "lone surrogate": b'{"prompt": "\\ud83d", "session_id": "\\ud83d", "cwd": "\\ud83d"}',
    "nul": b'{"prompt": "a\\u0000b", "session_id": "a\\u0000b", "cwd": "/a\\u0000b"}',
    "lists for text": b'{"prompt": ["x"], "session_id": [], "cwd": {}, "tool_name": [], "tool_input": [1]}',
    "nulls for text": b'{"prompt": null, "session_id": null, "cwd": null, "tool_name": null, "tool_input": null}',
    "nothing in it": b"{}",
}


@pytest.mark.parametrize("raw", BAD_INPUT.values(), ids=BAD_INPUT)
@pytest.mark.parametrize("event", [*EVENTS, "nonsense", ""])
def test_bad_input_is_a_pass(run_hook, event, raw):
    assert run_hook(event, raw=raw).is_pass


@pytest.mark.parametrize("name", ["empty", "no JSON", "a list", "deep", "cp932", "lists for text"])
def test_bad_input_is_noted(run_hook, notes, name):
    run_hook("user-prompt-submit", raw=BAD_INPUT[name])

    assert [note["event"] for note in notes("failure")] == ["user-prompt-submit"]


def test_an_unknown_event_is_noted(run_hook, notes):
    run_hook("no-such-event", prompt=FORCE_PROMPT)

    assert [note["error"] for note in notes("failure")] == ["UnknownEvent"]


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_an_unknown_event_that_somebody_typed_is_told_on_the_terminal_and_is_no_failure(data_folder, notes):
    ours, theirs = os.openpty()
    done = subprocess.run(hook_line("tea-time"), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, check=False)
    told = os.read(ours, 4096)
    os.close(ours)
    os.close(theirs)

    assert (done.returncode, done.stdout) == (0, b"")
    assert told.startswith(b"nokori: no such event: 'tea-time'; there are session-start, ")
    assert notes() == []


def test_a_payload_of_50_mb_is_read_to_its_end_and_noted(run_hook, notes):
    done = run_hook("user-prompt-submit", prompt="x" * 50_000_000)

    assert done.is_pass
    assert [note["error"] for note in notes("failure")] == ["PayloadTooLarge"]


def test_a_payload_that_comes_in_parts_is_put_together(data_folder, publish):
    publish(FORCE_PUSH)
    hook = OpenHook("user-prompt-submit")

    hook.send(b'{"nothing": {}')
    time.sleep(0.3)
    hook.send(b', "prompt": "git push --force this branch"}')
    exit_code, answer = hook.end()

    assert exit_code == 0
    assert b"a1b2c3" in answer


def test_a_payload_of_which_several_parts_end_like_an_object_is_put_together(data_folder, publish):
    publish(FORCE_PUSH)
    hook = OpenHook("user-prompt-submit")

    for part in (b'{"prompt": "git push {a}', b" --force {b}", b' this branch {c}"}'):
        hook.send(part)
        time.sleep(0.3)
    exit_code, answer = hook.end()

    assert exit_code == 0
    assert b"a1b2c3" in answer


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_an_interrupt_is_a_pass(data_folder):
    hook = subprocess.Popen(
        hook_line("user-prompt-submit"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    until_it_reads(hook)

    hook.send_signal(signal.SIGINT)

    assert hook.communicate(timeout=60) == (b"", b"")
    assert hook.returncode == 0


def until_it_reads(hook):
    """Until what it is sent has left the pipe."""
    hook.stdin.write(b'{"prompt": ')
    hook.stdin.flush()
    deadline = time.monotonic() + 60
    while int.from_bytes(fcntl.ioctl(hook.stdin, termios.FIONREAD, bytes(4)), sys.byteorder):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_data_folder_named_from_a_working_folder_that_is_gone_is_a_pass(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    command = " ".join(f"'{part}'" for part in hook_line("user-prompt-submit"))

    done = subprocess.run(  # noqa: S602  the shell takes its own folder away
        f"rmdir '{gone}'; {command}",
        shell=True,
        cwd=gone,
        input=b"{}",
        capture_output=True,
        check=False,
        env={**os.environ, "NOKORI_DATA_DIR": "here"},
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_nb050_a_host_that_leaves_stdin_open_gets_its_answer(data_folder, publish):
    publish(FORCE_PUSH)
    hook = OpenHook("user-prompt-submit")

    hook.send(b'{"prompt": "git push --force this branch"}\n')
    exit_code, answer = hook.end()

    assert exit_code == 0
    assert b"a1b2c3" in answer


@pytest.mark.parametrize("event", EVENTS)
def test_nb050_a_host_that_sends_nothing_and_leaves_stdin_open_is_not_waited_for(data_folder, event):
    assert OpenHook(event).end() == (0, b"")


def test_closed_pipes_are_a_pass(data_folder):
    command = " ".join(f"'{part}'" for part in hook_line("user-prompt-submit"))

    done = subprocess.run(f"{command} <&- >&- 2>&-", shell=True, check=False)  # noqa: S602  the shell closes them

    assert done.returncode == 0


@pytest.mark.parametrize("event", EVENTS)
def test_a_data_folder_that_cannot_be_made_is_a_pass(run_hook, tmp_path, event):
    (tmp_path / "file").write_bytes(b"")

    assert run_hook(event, prompt=FORCE_PROMPT, env={"NOKORI_DATA_DIR": str(tmp_path / "file" / "nokori")}).is_pass


@pytest.mark.parametrize("event", EVENTS)
def test_a_full_disk_is_a_pass_or_a_whole_answer(data_folder, publish, event):
    publish(FORCE_PUSH)
    payload = f'{{"session_id": "{SESSION}", "prompt": "{FORCE_PROMPT}"}}'.encode()

    done = subprocess.run(
        hook_line(event),
        input=payload,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert (b"a1b2c3" in done.stdout) == (event == "user-prompt-submit")


@pytest.mark.parametrize("variable", ["NOKORI_EXTRACTING", "NOKORI_DISABLED"])
@pytest.mark.parametrize("event", EVENTS)
def test_switched_off_nothing_is_said_and_nothing_is_left(run_hook, publish, data_folder, event, variable):
    publish(FORCE_PUSH)

    done = run_hook(event, prompt=FORCE_PROMPT, env={variable: "1"})

    assert done.is_pass
    assert sorted(path.name for path in Path(data_folder.root).iterdir()) == ["published"]


def test_strict_shows_the_error_and_says_nothing_to_the_host(run_hook):
    done = run_hook("user-prompt-submit", raw=b"nonsense", env={"NOKORI_STRICT": "1"})

    assert (done.exit_code, done.stdout) == (1, b"")
    assert b"PayloadUnreadable" in done.stderr


def test_strict_shows_a_fault_that_is_tolerated_otherwise(run_hook, publish, data_folder):
    publish(FORCE_PUSH)
    Path(data_folder.published, "rules.idx").write_bytes(b"damaged")

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env={"NOKORI_STRICT": "1"})

    assert (done.exit_code, done.stdout) == (1, b"")
    assert b"IndexUnreadable" in done.stderr


def test_the_words_for_on_are_those_of_the_settings():
    assert TRUE_WORDS == fields.TRUE_WORDS


def test_nb006_json_is_only_printed_with_exit_code_0(run_hook, publish):
    publish(FORCE_PUSH)

    done = run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env={"NOKORI_STRICT": "1"})

    assert done.exit_code == 0
    assert done.context


def test_nb010_a_gate_that_breaks_lets_the_tool_run_and_is_noted(run_hook, publish, data_folder, notes):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT)
    Path(data_folder.gate_markers, f"{SESSION}.json").write_text("{}")

    done = run_hook("pre-tool-use", tool_name="Bash", tool_input={})

    assert done.is_pass
    assert [note["error"] for note in notes("failure")] == ["MarkerUnreadable"]


@pytest.mark.parametrize("event", EVENTS)
def test_nb053_nb054_a_hook_starts_no_process_and_touches_no_network(data_folder, publish, tmp_path, event):
    publish(FORCE_PUSH)
    (tmp_path / ".git").mkdir()
    payload = f'{{"session_id": "{SESSION}", "prompt": "{FORCE_PROMPT}", "cwd": "{tmp_path}"}}'.encode()
    python, *line = hook_line(event)
    watched = f"""
import runpy, sys
def tell(event, arguments):
    if event.startswith(("os.fork", "os.posix_spawn", "os.exec", "os.system", "subprocess.", "socket.", "urllib.")):
        sys.stderr.write(event)
sys.addaudithook(tell)
sys.argv = {line[2:]!r}
runpy.run_path({line[2]!r}, run_name="__main__")
"""

    done = subprocess.run([python, "-I", "-S", "-c", watched], input=payload, capture_output=True, check=False)

    assert (b"a1b2c3" in done.stdout) == (event == "user-prompt-submit")
    assert done.stderr == b""


def test_nb073_many_hooks_at_once_each_answer_or_pass(data_folder, publish, notes):
    """Each of them: a machine that is too busy lets some miss their deadline."""
    publish(FORCE_PUSH)
    hooks = [OpenHook("user-prompt-submit") for _ in range(16)]

    for number, hook in enumerate(hooks):
        hook.send(f'{{"session_id": "{SESSION}", "prompt_id": "{number}", "prompt": "{FORCE_PROMPT}"}}'.encode())
    ends = [hook.end() for hook in hooks]

    assert [exit_code for exit_code, _ in ends] == [0] * 16
    assert sum(b"a1b2c3" in answer for _, answer in ends) == len(notes("prompt"))
    assert len(notes("prompt")) + len(notes("failure")) == 16
