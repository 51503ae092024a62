"""What users of such tools reported about encodings, interpreters and stacked registrations, each as a test."""

import json
import os
import re
import subprocess
import sys
import time

import pytest

from hooks.platforms import PLATFORMS
from hooks.registration import hook_line, is_own
from nokori_site.config import publish_config
from retrieval.publish import publish_all
from tests.conftest import MANAGE
from tests.factories import make_rule

REPORTS = MANAGE.parent.parent / "shared" / "reference" / "user-reports.json"
AREAS = {"installer", "duplicates", "encoding-windows", "hook-output", "gate"}
PROMPT = 'I am force pushing to a shared branch 表\\" 강제 푸시'
ACTION = "Push to a new branch — 表示 새 브랜치"
LINE = hook_line(sys.executable, str(MANAGE), event="user-prompt-submit", is_windows=False)
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def prompt_hook(data_folder, tmp_path):
    """Runs the registered line in a shell, as a host does: raw bytes in, raw bytes out."""
    make_rule(trigger="Force pushing to a shared branch", action=ACTION, variants=["force pushing"])
    publish_all(calibrate=True)
    publish_config(data_folder)

    def run(raw=None, **env):
        payload = {"session_id": "s", "cwd": str(tmp_path), "prompt": PROMPT}
        return subprocess.run(
            ["/bin/sh", "-c", LINE],
            input=json.dumps(payload, ensure_ascii=False).encode() if raw is None else raw,
            capture_output=True,
            check=False,
            env={**os.environ, **env},
        )

    return run


def context(done):
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout.decode("ascii"))["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("encoding", ["cp1252", "cp932", "ascii", "utf-16"])
def test_nb017_nb038_nb041_the_code_page_of_the_machine_changes_nothing(prompt_hook, encoding):
    done = prompt_hook(PYTHONIOENCODING=encoding, LC_ALL="C", LANG="C", PYTHONUTF8="0")

    assert ACTION in context(done)


def test_nb039_a_byte_that_is_no_utf8_costs_a_character_and_is_noted(prompt_hook, run_manage):
    raw = b'{"session_id": "s", "prompt": "I am force pushing \xff to a shared branch"}'

    assert ACTION in context(prompt_hook(raw))
    assert "ignored fields: encoding" in run_manage("health").stdout


def test_nb023_ten_registrations_of_one_prompt_are_answered_once_and_quickly(prompt_hook):
    started = time.perf_counter()
    first = prompt_hook()
    one = time.perf_counter() - started
    others = [prompt_hook() for _ in range(9)]

    assert ACTION in context(first)
    assert {done.stdout for done in others} == {b""}
    assert time.perf_counter() - started < 40 * one


def test_nb042_a_registered_line_needs_no_python_on_the_path(prompt_hook, tmp_path):
    assert ACTION in context(prompt_hook(PATH=str(tmp_path)))


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: str(platform.name))
def test_nb042_every_registered_line_names_its_interpreter_by_an_absolute_path(platform):
    for entry in platform.entries:
        line = hook_line(r"C:\Program Files\py\python.exe", r"D:\n\manage.py", event=entry.event, is_windows=True)

        assert is_own(line)
        assert re.match(r'"[A-Z]:\\', line)


@pytest.mark.skipif(not REPORTS.exists(), reason="../shared/reference/user-reports.json is not beside this checkout")
def test_every_report_about_the_agents_side_has_a_test_that_carries_its_id():
    reports = {row["id"].lower() for row in json.loads(REPORTS.read_text()) if row["area"] in AREAS}
    sources = [path.read_text(encoding="utf-8") for path in (MANAGE.parent / "tests").rglob("test_*.py")]
    named = {name for source in sources for test in re.findall(r"def (test_\w+)", source) for name in test.split("_")}

    assert reports - named == set()
