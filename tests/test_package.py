"""The built package, installed into an environment of its own: the `nokori` command and the hooks that it registers."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
PROMPT = "I'll just git push --force this branch"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the paths and the shell are POSIX's")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("nokori-*.whl"))


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory):
    """The folder of programs of an environment that holds the package; its libraries are borrowed from this one."""
    environment = tmp_path_factory.mktemp("env with space") / 'vénv "1"'
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    (site_packages,) = environment.glob("lib/python*/site-packages")
    (site_packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = [*PIP, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    return python.parent


@pytest.fixture
def nokori(programs, data_folder, tmp_path):
    """nokori("status") runs the installed command in a folder that has nothing to do with it."""

    def run(*arguments):
        command = [str(programs / "python"), str(programs / "nokori"), *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def hostile_folder(tmp_path):
    """A project whose modules carry our names, and the standard library's."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("hooks", "rules", "json", "os"):
        (folder / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    return folder


def test_it_requires_what_the_requirements_say():
    lines = (ROOT / "requirements-core.txt").read_text().splitlines()

    assert PROJECT["dependencies"] == [line for line in lines if line and not line.startswith("#")]


def test_it_holds_the_program_and_its_data_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()

    assert {"nokori_site/manage.py", "retrieval/offtopic/short.en.txt", "rules/migrations/0001_initial.py"} <= set(
        names
    )
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {
        *("nokori_site", "rules", "retrieval", "extraction", "hooks")
    }


def test_the_command_tells_its_version(nokori):
    done = nokori("--version")

    assert (done.returncode, done.stdout.strip()) == (0, f"nokori {PROJECT['version']}")


def test_a_rule_reaches_the_registered_hook_from_any_folder(nokori, tmp_path, hostile_folder, data_folder):
    added = nokori("add", "--trigger", "Force pushing to a shared branch", "--action", "Use --force-with-lease",
                   "--source-type", "correction", "--confidence", "high", "--variants", "git push --force")  # fmt: skip
    installed = nokori("install")
    settings = json.loads((tmp_path / "claude" / "settings.json").read_text())
    line = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]

    done = subprocess.run(
        ["/bin/sh", "-c", line],
        input=json.dumps({"session_id": "s", "prompt": PROMPT, "cwd": str(hostile_folder)}).encode(),
        cwd=hostile_folder,
        env={**os.environ, "PYTHONPATH": str(hostile_folder)},
        capture_output=True,
        check=False,
    )

    assert (added.returncode, installed.returncode) == (0, 0), added.stderr + installed.stderr
    assert re.search(r'nokori_site/manage\.py" hook user-prompt-submit \|\| exit 1$', line)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Use --force-with-lease" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_test_is_another_word_for_retrieve(nokori):
    done = nokori("test", PROMPT)

    assert done.returncode == 0, done.stderr
    assert PROMPT in done.stdout


def test_health_finds_its_own_hooks(nokori):
    nokori("install")

    findings = json.loads(nokori("health", "--json").stdout)["findings"]

    assert {"name": "registration", "state": "ok"}.items() <= findings[
        [f["name"] for f in findings].index("registration")
    ].items()


def test_settle_is_started_from_the_copy_that_the_hook_belongs_to(programs):
    code = "from hooks.hot.spawn import MANAGE; print(MANAGE)"
    done = subprocess.run([programs / "python", "-I", "-c", code], capture_output=True, text=True, check=True)

    assert Path(done.stdout.strip()).parts[-2:] == ("nokori_site", "manage.py")
