"""The plugin: the hooks of the table, and a launcher that calls the program on record or passes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from hooks.platforms import CLAUDE
from nokori_site.version import VERSION

FOLDER = Path(settings.BASE_DIR) / ".claude-plugin"
HOOKS = json.loads((FOLDER / "hooks.json").read_text(encoding="utf-8"))["hooks"]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


@pytest.fixture
def plugin_hook(data_folder, tmp_path):
    """Runs a hook of the plugin as the client does."""

    def run(key, **environ):
        command = HOOKS[key][0]["hooks"][0]["command"]
        return subprocess.run(
            ["/bin/sh", "-c", command],
            input=json.dumps({"session_id": "s", "cwd": str(tmp_path), "source": "startup"}).encode(),
            capture_output=True,
            check=False,
            env={**os.environ, "CLAUDE_PLUGIN_ROOT": str(settings.BASE_DIR), **environ},
        )

    return run


def test_it_registers_what_install_would():
    registered = {
        key: (group.get("matcher", ""), group["hooks"][0]["command"].split()[-1], group["hooks"][0]["timeout"])
        for key, (group,) in HOOKS.items()
    }

    assert registered == {row.key: (row.matcher, row.event, row.timeout_seconds) for row in CLAUDE.entries}


def test_its_manifest_names_the_hooks_and_the_version():
    manifest = json.loads((FOLDER / "plugin.json").read_text(encoding="utf-8"))

    assert (manifest["name"], manifest["version"]) == ("nokori", VERSION)
    assert (settings.BASE_DIR / manifest["hooks"]).samefile(FOLDER / "hooks.json")


def test_without_a_program_on_record_a_hook_passes(plugin_hook, data_folder):
    done = plugin_hook("SessionStart")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not Path(data_folder.root).exists()


def test_with_a_program_on_record_it_is_called(plugin_hook, data_folder):
    call_command("install", "--plugin")

    done = plugin_hook("SessionStart")

    assert (done.returncode, done.stderr) == (0, b"")
    assert Path(data_folder.sessions, "s.json").exists()


@pytest.mark.parametrize(
    "environ",
    [
        {"NOKORI_DATA_DIR": "", "HOME": "{home}"},
        {"NOKORI_DATA_DIR": "~/.nokori", "HOME": "{home}"},
        {"NOKORI_DATA_DIR": "", "HOME": "/nowhere", "USERPROFILE": "{home}", "OS": "Windows_NT"},
        {"NOKORI_DATA_DIR": "~\\.nokori", "HOME": "/nowhere", "USERPROFILE": "{home}", "OS": "Windows_NT"},
    ],
    ids=["default", "tilde", "as in Git Bash", "tilde in Git Bash"],
)
def test_it_finds_the_data_folder_where_the_program_looks_for_it(plugin_hook, tmp_path, environ):
    home, called = tmp_path / "my home", tmp_path / "called"
    (home / ".nokori").mkdir(parents=True)
    program = tmp_path / "my python"
    program.write_text(f'#!/bin/sh\necho "$@" >"{called}"\n')
    program.chmod(0o755)
    (home / ".nokori" / "plugin_program").write_text(f"{program}\n{__file__}\n")

    plugin_hook("SessionStart", **{name: value.format(home=home) for name, value in environ.items()})

    assert called.read_text() == f"-I -S {__file__} hook session-start\n"


def test_a_program_that_is_gone_is_passed_over(plugin_hook, data_folder):
    call_command("install", "--plugin")
    Path(data_folder.plugin_program).write_text("/gone/python\n/gone/manage.py\n")

    assert plugin_hook("SessionEnd").stdout == b""
    assert not Path(data_folder.spool_new).exists()


def test_preparing_the_plugin_touches_no_settings_and_can_be_undone(data_folder, tmp_path, capsys):
    call_command("install", "--plugin")
    assert sys.executable in capsys.readouterr().out

    call_command("install", "--plugin", "--uninstall")

    assert not Path(data_folder.plugin_program).exists()
    assert not (tmp_path / "claude").exists()


class TestHealth:
    @pytest.fixture
    def plugin_rows(self, run_manage, tmp_path):
        (tmp_path / "claude").mkdir()
        (tmp_path / "claude" / "settings.json").write_text('{"enabledPlugins": {"nokori@here": true}}')

        def rows(name="plugin"):
            findings = json.loads(run_manage("health", "--json").stdout)["findings"]
            return [(row["state"], row["remedy"]) for row in findings if row["name"] == name]

        return rows

    def test_an_enabled_plugin_without_a_program_is_a_failure(self, plugin_rows):
        assert plugin_rows() == [("fail", "Run: manage.py install --plugin")]

    def test_a_prepared_one_is_well(self, plugin_rows, run_manage):
        run_manage("install", "--plugin")

        assert plugin_rows() == [("ok", "")]

    def test_plugin_and_settings_together_are_told(self, plugin_rows, run_manage):
        run_manage("install", "--plugin")
        run_manage("install")

        assert plugin_rows("double registration") == [("warn", "Run: manage.py install --uninstall --claude")]
