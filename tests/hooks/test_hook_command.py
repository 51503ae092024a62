"""The registered line, as a shell reads it, and the Django command of the same name."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from hooks.registration import hook_line

THROUGH_DJANGO = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from django.core.management import execute_from_command_line;"
    "execute_from_command_line(['manage.py', 'hook', *sys.argv[2:]])"
)


@pytest.fixture
def through_django(data_folder):
    def run(*arguments, payload):
        return subprocess.run(
            [sys.executable, "-I", "-c", THROUGH_DJANGO, str(settings.BASE_DIR), *arguments],
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=60,
            check=False,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "nokori_site.settings"},
        )

    return run


def test_the_django_command_leaves_the_same_note(through_django, data_folder):
    done = through_django("session-end", payload={"session_id": "s1"})

    assert (done.returncode, done.stdout) == (0, b"")
    [path] = Path(data_folder.spool_new).iterdir()
    assert json.loads(path.read_bytes())["kind"] == "session_end"


def test_the_django_command_passes_on_an_event_that_nobody_knows(through_django):
    done = through_django("tea-time", payload={})

    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="the line is for a POSIX shell here")
def test_a_shell_runs_the_registered_line_whatever_its_paths_hold(data_folder, tmp_path):
    odd = tmp_path / 'a "b" $HOME `x` \\ 記'
    odd.mkdir()
    (odd / "checkout").symlink_to(settings.BASE_DIR)
    (odd / "python").symlink_to(sys.executable)
    line = hook_line(str(odd / "python"), str(odd / "checkout" / "manage.py"), event="session-end", is_windows=False)

    done = subprocess.run(
        ["/bin/sh", "-c", line], input=b'{"session_id": "s1"}', capture_output=True, timeout=60, check=False, cwd="/"
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert len(list(Path(data_folder.spool_new).iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="the line is for a POSIX shell here")
@pytest.mark.parametrize(
    ("python", "manage"),
    [(sys.executable, "/gone/manage.py"), ("/gone/python", str(settings.BASE_DIR / "manage.py"))],
    ids=["script", "interpreter"],
)
def test_nb126_a_line_whose_program_is_gone_blocks_nothing(python, manage):
    line = hook_line(python, manage, event="pre-tool-use", is_windows=False)

    done = subprocess.run(["/bin/sh", "-c", line], input=b"{}", capture_output=True, timeout=60, check=False)

    assert (done.returncode, done.stdout) == (1, b"")  # hosts take 2 for a block
