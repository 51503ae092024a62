"""logs/hook.log: one line per call when asked for, errors always, and never a word of a prompt."""

import re
from pathlib import Path

import pytest

from hooks.hot.log import log_call
from nokori_site.config import publish_config
from tests.hooks.hot.conftest import FORCE_PROMPT, FORCE_PUSH, NOW, SESSION

EVENTS = ("session-start", "user-prompt-submit", "pre-tool-use", "session-end")


@pytest.fixture
def lines(data_folder):
    def read():
        path = Path(data_folder.logs, "hook.log")
        return path.read_text().splitlines() if path.exists() else []

    return read


def test_a_prompt_is_told_with_its_numbers_and_without_its_words(run_hook, publish, lines):
    publish(FORCE_PUSH)

    run_hook("user-prompt-submit", prompt=FORCE_PROMPT, env={"NOKORI_LOG_LEVEL": "info"})

    (line,) = lines()
    form = rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ INFO hook \[{SESSION}\] \[diag\] event=user-prompt-submit project=\S+ "
    assert re.fullmatch(form + r"hits=1 tiers=hot:a1b2c3 gate=armed:a1b2c3 ms=[\d.]+", line)
    assert "push" not in line


@pytest.mark.parametrize("event", EVENTS)
def test_at_info_every_call_is_a_line(run_hook, lines, event):
    run_hook(event, prompt="hello", tool_name="Bash", env={"NOKORI_LOG_LEVEL": "info"})

    assert [f"event={event} " in line for line in lines()] == [True]


@pytest.mark.parametrize("event", EVENTS)
def test_the_published_mark_does_the_same(run_hook, lines, data_folder, event):
    Path(data_folder.root).mkdir(parents=True)
    Path(data_folder.config_toml).write_text('log_level = "info"\n')
    publish_config(data_folder)

    run_hook(event, prompt="hello", tool_name="Bash")

    assert len(lines()) == 1


@pytest.mark.parametrize("event", EVENTS)
def test_by_default_calls_are_not_logged(run_hook, lines, event):
    run_hook(event, prompt="hello", tool_name="Bash")

    assert lines() == []


@pytest.mark.parametrize("level", ["warn", "warning", "error"])
def test_above_info_calls_are_not_logged(run_hook, lines, level):
    run_hook("user-prompt-submit", prompt="hello", env={"NOKORI_LOG_LEVEL": level})

    assert lines() == []


def test_a_failure_is_logged_whatever_the_level(run_hook, lines):
    run_hook("user-prompt-submit", raw=b"nonsense", env={"NOKORI_LOG_LEVEL": "error"})

    (line,) = lines()
    assert " ERROR hook [-] event=user-prompt-submit PayloadUnreadable: " in line


def test_the_answer_of_the_gate_is_told(run_hook, publish, lines):
    publish(FORCE_PUSH)
    run_hook("user-prompt-submit", prompt=FORCE_PROMPT)

    run_hook("pre-tool-use", tool_name="Bash", tool_input={}, env={"NOKORI_LOG_LEVEL": "info"})

    assert "gate=deny:a1b2c3" in lines()[-1]


def test_a_session_id_cannot_forge_a_line(data_folder, lines):
    log_call(data_folder, session_id="s]\n2026-01-01T00:00:00Z ERROR", facts={"event": "x y\u2028\x1b[0m"}, now=NOW)

    assert len(lines()) == 1
    assert "\x1b" not in lines()[0]


def test_a_disk_that_takes_no_log_is_passed_over(data_folder):
    Path(data_folder.root).mkdir(parents=True)
    Path(data_folder.logs).write_bytes(b"in the way")

    log_call(data_folder, session_id="s", facts={}, now=NOW)
