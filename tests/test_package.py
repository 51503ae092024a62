"""The built package, installed into an environment of its own: the `nokori` command and the hooks that it registers."""

import json
import os
import re
import shutil
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
PACKAGES = {"nokori_site", "rules", "retrieval", "extraction", "hooks"}
NEWER = "9.9.9"
PROMPT = "I'll just git push --force this branch"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the paths and the shell are POSIX's")


def build(source, folder):
    command = [
        *PIP,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--wheel-dir",
        str(folder),
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("nokori-*.whl"))


def put_in(wheel, environment):
    """The folder of programs of an environment that holds the package; its libraries are borrowed from this one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    (site_packages,) = environment.glob("lib/python*/site-packages")
    (site_packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = [*PIP, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    return python.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def newer_wheel(tmp_path_factory):
    """The same program under the next version."""
    source = tmp_path_factory.mktemp("source") / "nokori"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "tests", "__pycache__"))
    for name in ("pyproject.toml", "nokori_site/version.py"):
        text = (source / name).read_text()
        (source / name).write_text(text.replace(f'"{PROJECT["version"]}"', f'"{NEWER}"'))
    return build(source, tmp_path_factory.mktemp("newer wheel"))


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory):
    return put_in(wheel, tmp_path_factory.mktemp("env with space") / 'vénv "1"')


@pytest.fixture
def run_in(data_folder, tmp_path):
    """run_in(programs, "status") runs the command of an environment in a folder that has nothing to do with it."""

    def run(programs, *arguments):
        command = [str(programs / "python"), str(programs / "nokori"), *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def nokori(programs, run_in):
    """nokori("status") runs the installed command."""
    return lambda *arguments: run_in(programs, *arguments)


@pytest.fixture
def call_hook(tmp_path):
    """call_hook("SessionStart") runs the registered line as a client does."""

    def call(key):
        settings = json.loads((tmp_path / "claude" / "settings.json").read_text())
        line = settings["hooks"][key][0]["hooks"][0]["command"]
        payload = b'{"session_id": "s", "source": "startup"}'
        return subprocess.run(["/bin/sh", "-c", line], input=payload, capture_output=True, check=False)

    return call


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
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    packaged = [path for path in listing.stdout.splitlines() if path.partition("/")[0] in PACKAGES]
    moved = [
        f"nokori_site/{path}" for path in listing.stdout.splitlines() if path.startswith(("templates/", "manage.py"))
    ]

    assert set(packaged) | set(moved) <= set(names)
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == PACKAGES


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


def test_its_pages_are_found_where_the_package_has_them(programs, data_folder):
    code = "import django; django.setup(); from django.template.loader import get_template; print(get_template('base.html').origin)"
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "nokori_site.settings"}
    done = subprocess.run(
        [programs / "python", "-c", code], env=environ, cwd="/", capture_output=True, text=True, check=True
    )

    assert Path(done.stdout.strip()).parts[-3:] == ("nokori_site", "templates", "base.html")


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


def registration(health):
    """The states and details of the registration's rows."""
    rows = json.loads(health.stdout)["findings"]
    return [(row["state"], row["detail"]) for row in rows if row["name"] == "registration"]


def test_after_an_upgrade_in_place_the_registered_lines_call_the_new_version(
    wheel, newer_wheel, run_in, call_hook, tmp_path, data_folder
):
    programs = put_in(wheel, tmp_path / "environment")
    run_in(programs, "install")

    put_in(newer_wheel, tmp_path / "environment")

    assert run_in(programs, "--version").stdout == f"nokori {NEWER}\n"
    assert call_hook("SessionStart").returncode == 0
    assert [state for state, _ in registration(run_in(programs, "health", "--json"))] == ["ok"]
    assert json.loads(Path(data_folder.published, "config.json").read_text())["version"] == NEWER


@pytest.mark.parametrize(
    "gone", ["bin/python", "lib/python*/site-packages/nokori_site/manage.py"], ids=["interpreter", "script"]
)
def test_a_line_whose_program_is_gone_blocks_nothing_is_told_and_mended(
    wheel, programs, run_in, call_hook, tmp_path, gone
):
    run_in(put_in(wheel, tmp_path / "environment"), "install")
    (lost,) = (tmp_path / "environment").glob(gone)
    lost.unlink()

    stranded = call_hook("PreToolUse")
    health = run_in(programs, "health", "--json")
    run_in(programs, "install")
    mended = run_in(programs, "health", "--json")

    assert (stranded.returncode, stranded.stdout) == (1, b"")
    ((state, detail),) = [row for row in registration(health) if row[0] == "fail"]
    assert (health.returncode, state, str(lost) in detail) == (1, "fail", True)
    assert [state for state, _ in registration(mended)] == ["ok"]
    assert call_hook("PreToolUse").returncode == 0
