"""Whatever comes in or breaks down, the agent goes on, nothing is lost, and `health` knows. Whole processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.flows.host import ACTION, EVENTS, MANAGE, RULE, SESSION, TRIGGER, finish, fire, start

GARBAGE = b"\x00\xffgarbage" * 64
CLOCK_JUMP_SECONDS = 40 * 24 * 3600
READ_ONLY = "mount -o remount,ro {}"
FULL = "(cat /dev/zero > {}/ballast 2>/dev/null || true)"
KILL_DELAYS = (0.05, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)  # seconds; an undisturbed `edit` takes about 0.4
SESSIONS_AT_ONCE = 50


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one gating rule, published; made once."""
    made = tmp_path_factory.mktemp("taught") / "nokori"
    subprocess.run(
        [sys.executable, str(MANAGE), "add", *RULE], env={**os.environ, "NOKORI_DATA_DIR": str(made)}, check=True
    )
    return made


@pytest.fixture
def folder(data_folder, taught) -> Path:
    """A copy of it for this test, which all processes take for the user's."""
    shutil.copytree(taught, data_folder.root)
    return Path(data_folder.root)


def kill_after(delay: float, *arguments: str) -> None:
    process = subprocess.Popen(
        [sys.executable, str(MANAGE), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()


def status(run_manage):
    return json.loads(run_manage("status", "--json").stdout)


def on_a_disk_of_its_own(folder: Path, *commands: str) -> list[str]:
    """A command prefix: the data folder moved to a small disk in a namespace, where these shell commands run first."""
    mapped = [] if os.getuid() == 0 else ["-r"]
    aside = f"{folder}-aside"
    steps = [
        f"cp -a {folder} {aside}",
        f"mount -t tmpfs -o size=8m tmpfs {folder}",
        f"cp -a {aside}/. {folder}",
        f"rm -r {aside}",
    ]
    script = " && ".join([*steps, *(command.format(folder) for command in commands), 'exec "$@"'])
    return ["unshare", *mapped, "-m", "sh", "-c", script, "sh"]


def demand_namespaces() -> None:
    mapped = [] if os.getuid() == 0 else ["-r"]
    try_it = [shutil.which("unshare") or "unshare", *mapped, "-m", "true"]
    if shutil.which("unshare") is None or subprocess.run(try_it, capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no mount namespaces")


BAD_PAYLOADS = {
    "nothing": b"",
    "no JSON": b"force push",
    "a list": b"[]",
    "null": b"null",
    "a number": b"7",
    "broken off": b'{"prompt": "force',
    "not UTF-8": b'{"prompt": "\xff\xfe", "session_id": "\xc3("}',
    "cp932": '{"prompt": "強制プッシュする", "session_id": "s"}'.encode("cp932"),
    "wrong types": b'{"session_id": ["a"], "prompt": {"a": null}, "cwd": 3, "tool_input": "x", "tool_name": null}',
    "no fields": b"{}",
    "deeply nested": b'{"prompt": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "huge": b'{"prompt": "' + b"force push " * 5_000_000 + b'"}',
}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("raw", BAD_PAYLOADS.values(), ids=BAD_PAYLOADS)
def test_a_bad_payload_is_a_pass(folder, event, raw):
    answer = fire(event, raw)

    assert answer.is_pass


@pytest.mark.parametrize("name", ["no JSON", "wrong types", "huge"])
def test_health_shows_a_bad_payload(folder, run_manage, name):
    fire("UserPromptSubmit", BAD_PAYLOADS[name])
    run_manage("settle")

    assert "user-prompt-submit" in run_manage("health").stdout


def test_an_event_that_does_not_exist_is_a_pass(folder):
    assert fire("tea-time", b"{}").is_pass


def test_a_data_folder_that_is_missing_is_a_pass(data_folder):
    answers = [fire(event, prompt=TRIGGER, tool_name="Bash", tool_input={}) for event in EVENTS]

    assert all(answer.is_pass for answer in answers)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("trouble", [READ_ONLY, FULL], ids=["read-only folder", "full disk"])
def test_a_disk_that_takes_nothing_leaves_the_answer_sound(folder, event, trouble):
    demand_namespaces()

    answer = fire(event, around=on_a_disk_of_its_own(folder, trouble), prompt=TRIGGER, tool_name="Bash", tool_input={})

    assert answer.is_sound


@pytest.mark.parametrize("trouble", [READ_ONLY, FULL], ids=["read-only folder", "full disk"])
def test_a_rule_reaches_the_agent_even_from_a_disk_that_takes_nothing(folder, trouble):
    demand_namespaces()

    answer = fire("UserPromptSubmit", around=on_a_disk_of_its_own(folder, trouble), prompt=TRIGGER)

    assert ACTION in answer.part("additionalContext")


DAMAGED = [
    "rules.db",
    "config.toml",
    "published/rules.idx",
    "published/rules.delta",
    "published/config.json",
    f"sessions/{SESSION}.json",
    f"gate_markers/{SESSION}.json",
    f"gate_markers/{SESSION}.spent",
    "spool/new/00000000000000000000-damaged.json",
    "tombstones/garbage",
]


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_leaves_the_agent_going_on(folder, run_manage, name):
    fire("UserPromptSubmit", prompt=TRIGGER)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(GARBAGE)

    answers = [fire(event, prompt=TRIGGER, tool_name="Bash", tool_input={"command": "ls"}) for event in EVENTS]
    told = [run_manage(verb) for verb in ("settle", "status", "list", "health")]

    assert all(answer.is_sound for answer in answers)
    assert not any("Traceback" in done.stderr for done in told)
    assert all(len(done.stderr.splitlines()) <= 1 for done in told)


@pytest.mark.parametrize("name", ["published/rules.idx", "published/config.json", "spool/new/0-damaged.json"])
def test_settle_mends_what_can_be_made_again(folder, run_manage, name):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(GARBAGE)

    run_manage("settle")

    assert ACTION in fire("UserPromptSubmit", prompt=TRIGGER).part("additionalContext")


def test_an_index_of_another_version_is_written_anew(folder, run_manage):
    index = folder / "published" / "rules.idx"
    sound = index.read_bytes()
    index.write_bytes(sound[:4] + bytes(byte ^ 0x55 for byte in sound[4:16]) + sound[16:])

    meanwhile = fire("UserPromptSubmit", prompt=TRIGGER, prompt_id="meanwhile")
    run_manage("settle")

    assert meanwhile.is_sound
    assert ACTION in fire("UserPromptSubmit", prompt=TRIGGER, prompt_id="later").part("additionalContext")


def test_a_clock_that_went_backwards_mutes_no_rule(folder):
    fire("UserPromptSubmit", prompt=TRIGGER, prompt_id="before")
    future = time.time() + CLOCK_JUMP_SECONDS
    for path in folder.rglob("*"):
        os.utime(path, (future, future))

    answer = fire("UserPromptSubmit", prompt=TRIGGER, prompt_id="after")

    assert ACTION in answer.part("additionalContext")


def test_a_kill_during_publishing_leaves_the_old_rules_or_the_new_ones(folder, run_manage):
    short_id = json.loads(run_manage("list", "--json").stdout)[0]["short_id"]

    found = []
    for number, delay in enumerate(KILL_DELAYS):
        kill_after(delay, "edit", short_id, "--rationale", f"reason {number}")
        found.append(fire("UserPromptSubmit", prompt=TRIGGER, prompt_id=str(number)).part("additionalContext"))
    run_manage("settle")
    reasons = [json.loads(run_manage("show", short_id, "--json").stdout)["rationale"]]
    last = fire("UserPromptSubmit", prompt=TRIGGER, session_id="fresh").part("additionalContext")

    assert all(ACTION in text for text in found)
    assert reasons[0] in last


def test_a_kill_during_settle_loses_no_note_and_files_none_twice(folder, run_manage):
    for number in range(12):
        fire("UserPromptSubmit", prompt=TRIGGER, session_id=f"session-{number}")

    for delay in KILL_DELAYS:
        kill_after(delay, "settle")
    run_manage("settle")

    told = status(run_manage)
    assert told["injections_24h"] == {"hot": 12, "warm": 0}
    assert told["notes"] == {"waiting": 0, "unreadable": 0}


def test_of_two_settles_at_once_one_works_and_the_other_ends(folder, run_manage):
    for number in range(40):
        fire("UserPromptSubmit", prompt=TRIGGER, session_id=f"session-{number}")

    command = [sys.executable, str(MANAGE), "settle"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    answers = [process.communicate(timeout=60) for process in both]

    assert all(process.returncode in (0, 2) for process in both)
    assert not any(b"Traceback" in err for _, err in answers)
    assert status(run_manage)["injections_24h"] == {"hot": 40, "warm": 0}


def test_fifty_hooks_at_once_all_answer_and_all_are_filed(folder, run_manage):
    running = [start("UserPromptSubmit", prompt=TRIGGER, session_id=f"s-{n}") for n in range(SESSIONS_AT_ONCE)]
    answers = [finish(process) for process in running]

    assert all(answer.is_sound for answer in answers)
    told = status(run_manage)
    assert told["notes"] == {"waiting": 0, "unreadable": 0}
