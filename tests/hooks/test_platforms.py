"""Each platform's settings file: its own form of entries, switched off and on, in and out without a trace."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from hooks.hot.hosts.cursor import EVENT_NAMES as CURSOR_NAMES
from hooks.install import carry_out, hook_lines, plan_install, plan_switch, plan_uninstall
from hooks.install_record import read_record
from hooks.platforms import CLAUDE, CODEX, CURSOR, PLATFORMS
from hooks.registration import registrations
from hooks.switching import is_off

FOREIGN = {
    CLAUDE: '{"env": {"A": "1"}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}\n',
    CURSOR: '{\n  "version": 1,\n  "hooks": {\n    "preToolUse": [{ "command": "./nokori-notes.sh" }]\n  }\n}\n',
    CODEX: '{\n  "hooks": {}\n}',
}
README = (settings.BASE_DIR / "README.md").read_text(encoding="utf-8")


def by_name(platform):
    return platform.name


@pytest.fixture
def home_of(tmp_path, data_folder):
    """Where each platform's file lies in this test."""
    for platform in PLATFORMS:
        home = tmp_path / platform.name
        home.mkdir(exist_ok=True)
        object.__setattr__(settings.NOKORI, f"{platform.name}_home", str(home))
    return lambda platform: tmp_path / platform.name / platform.file_name


def commands(platform, python="/venv/bin/python"):
    return hook_lines(python, "/opt/nokori/manage.py", platform=platform)


def install(path, platform, **options):
    return carry_out(plan_install(path, commands=commands(platform, **options), platform=platform), platform=platform)


@pytest.mark.parametrize("platform", PLATFORMS, ids=by_name)
def test_nb126_what_others_have_there_is_as_before_after_uninstall(home_of, platform):
    path = home_of(platform)
    path.write_text(FOREIGN[platform])

    found = install(path, platform)
    carry_out(plan_uninstall(path, platform=platform), platform=platform)

    assert len(found.registrations) == len(platform.entries)
    assert path.read_text() == FOREIGN[platform]


@pytest.mark.parametrize("platform", PLATFORMS, ids=by_name)
def test_a_file_that_install_made_is_gone_after_uninstall(home_of, platform):
    path = home_of(platform)

    install(path, platform)
    carry_out(plan_uninstall(path, platform=platform), platform=platform)

    assert not path.exists()


@pytest.mark.parametrize("platform", PLATFORMS, ids=by_name)
def test_nb022_entries_of_three_copies_are_one_of_each(home_of, platform):
    path = home_of(platform)

    for python in ("/a/bin/python", "/b/bin/python3", "/c d/bin/python"):
        found = install(path, platform, python=python)

    assert {row.key: row.command for row in found.registrations} == commands(platform, python="/c d/bin/python")


@pytest.mark.parametrize("platform", PLATFORMS, ids=by_name)
def test_switched_off_and_on_again_the_file_is_the_same(home_of, platform):
    path = home_of(platform)
    path.write_text(FOREIGN[platform])
    install(path, platform)
    installed = path.read_text()

    off = carry_out(plan_switch(path, on=False, platform=platform), platform=platform)
    twice = plan_switch(path, on=False, platform=platform)
    on = carry_out(plan_switch(path, on=True, platform=platform), platform=platform)

    assert (off.is_off, twice.is_needed, on.is_off) == (True, False, False)
    assert len(off.registrations) == len(platform.entries)
    assert path.read_text() == installed


@pytest.mark.parametrize("platform", PLATFORMS, ids=by_name)
def test_uninstalling_what_is_switched_off_leaves_nothing_of_ours(home_of, platform):
    path = home_of(platform)
    path.write_text(FOREIGN[platform])
    install(path, platform)
    carry_out(plan_switch(path, on=False, platform=platform), platform=platform)

    carry_out(plan_uninstall(path, platform=platform), platform=platform)

    assert path.read_text() == FOREIGN[platform]


def test_a_file_without_our_hooks_cannot_be_switched(home_of):
    home_of(CLAUDE).write_text(FOREIGN[CLAUDE])

    assert not plan_switch(home_of(CLAUDE), on=False).is_needed


def test_claude_code_is_switched_off_by_its_environment_and_an_empty_one_goes_again(home_of):
    install(home_of(CLAUDE), CLAUDE)

    carry_out(plan_switch(home_of(CLAUDE), on=False))

    assert json.loads(home_of(CLAUDE).read_text())["env"] == {"NOKORI_DISABLED": "1"}
    carry_out(plan_switch(home_of(CLAUDE), on=True))
    assert "env" not in json.loads(home_of(CLAUDE).read_text())


@pytest.mark.skipif(os.name == "nt", reason="the line is written for a POSIX shell")
def test_a_hook_line_that_is_switched_off_does_nothing(data_folder, run_manage, home_of):
    run_manage("install", "--cursor")
    run_manage("install", "--cursor", "--disable")
    path = Path(os.environ["HOME"], ".cursor", "hooks.json")
    assert is_off(path.read_text(), CURSOR)
    line = json.loads(path.read_text())["hooks"]["sessionStart"][0]["command"]

    done = subprocess.run(["/bin/sh", "-c", line], input=b'{"session_id": "s"}', capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not Path(data_folder.sessions).exists()


def test_nb014_cursors_entries_are_events_and_fields_that_it_documents(home_of):
    install(home_of(CURSOR), CURSOR)

    content = json.loads(home_of(CURSOR).read_text())
    handlers = [handler for event in content["hooks"].values() for handler in event]
    assert content["version"] == 1
    assert {entry.key: entry.event for entry in CURSOR.entries} == {name: event for event, name in CURSOR_NAMES.items()}
    assert all(set(handler) <= {"command", "type", "timeout", "matcher"} for handler in handlers)
    assert "Shell" in content["hooks"]["preToolUse"][0]["matcher"].split("|")


def test_codex_allows_an_end_no_more_than_three_seconds():
    assert {entry.key: entry.timeout_seconds for entry in CODEX.entries}["SessionEnd"] == 3


@pytest.mark.parametrize("platform", PLATFORMS, ids=by_name)
def test_nb127_the_readme_names_every_hook_that_is_registered(platform):
    row = f"| {platform.title} | {', '.join(entry.key for entry in platform.entries)} |"

    assert row in README


class TestCommand:
    def test_nb043_the_stores_alias_for_python_is_refused(self, home_of, monkeypatch):
        monkeypatch.setattr("sys.executable", r"C:\Users\me\AppData\Local\Microsoft\WindowsApps\python.exe")

        with pytest.raises(CommandError, match=r"Microsoft Store.*Nothing was written"):
            call_command("install", "--all")

        assert not home_of(CLAUDE).exists()

    @pytest.fixture(autouse=True)
    def _homes(self, home_of):
        pass

    def test_all_means_claude_code_and_cursor_and_warns_of_a_double_run(self, home_of, capsys):
        call_command("install", "--all")

        out = capsys.readouterr().out
        assert "Claude Code: wrote" in out
        assert "Cursor: wrote" in out
        assert "keep one path" in out
        assert not home_of(CODEX).exists()

    def test_the_warning_of_a_double_run_comes_with_what_it_concerns_alone(self, home_of, capsys):
        call_command("install", "--all")
        capsys.readouterr()

        call_command("install", "--codex")
        call_command("install", "--disable")

        assert "keep one path" not in capsys.readouterr().out

    def test_who_says_that_cursor_imports_no_hooks_is_not_warned_again(self, home_of, run_manage, capsys):
        call_command("install", "--all", "--imports-off")
        call_command("install", "--all")

        assert "keep one path" not in capsys.readouterr().out
        assert "double registration" not in run_manage("health").stdout

    def test_a_folder_that_install_made_goes_with_its_last_file(self, home_of, tmp_path):
        for platform in (CURSOR, CODEX):
            home_of(platform).parent.rmdir()
        call_command("install", "--cursor")
        call_command("install", "--codex")
        (home_of(CODEX).parent / "config.toml").touch()

        call_command("install", "--uninstall")

        assert not home_of(CURSOR).parent.exists()
        assert [path.name for path in home_of(CODEX).parent.iterdir()] == ["config.toml"]

    def test_a_folder_that_was_there_before_stays(self, home_of):
        call_command("install", "--cursor")

        call_command("install", "--uninstall")

        assert home_of(CURSOR).parent.is_dir()

    def test_uninstalling_says_where_the_state_before_is_kept_when_it_differs(self, home_of, capsys):
        home_of(CLAUDE).write_text(FOREIGN[CLAUDE])
        call_command("install")
        home_of(CLAUDE).write_text(home_of(CLAUDE).read_text().replace('"A": "1"', '"A": "2"'))
        capsys.readouterr()

        call_command("install", "--uninstall")

        backup = home_of(CLAUDE).with_name("settings.json.nokori-backup")
        assert backup.read_text() == FOREIGN[CLAUDE]
        assert f"kept as {backup.resolve()}." in capsys.readouterr().out

    def test_one_platform_is_left_alone_when_another_is_named(self, home_of, capsys):
        call_command("install", "--cursor")

        assert not home_of(CLAUDE).exists()
        assert "keep one path" not in capsys.readouterr().out

    def test_codex_is_told_to_trust_the_hooks(self, home_of, capsys):
        call_command("install", "--codex")

        assert len(registrations(home_of(CODEX).read_text())) == len(CODEX.entries)
        assert "/hooks" in capsys.readouterr().out

    def test_what_was_installed_is_remembered_and_undone_together(self, home_of, data_folder):
        call_command("install", "--all")
        assert set(read_record(data_folder).files) == {"claude", "cursor"}

        call_command("install", "--uninstall")

        assert not home_of(CLAUDE).exists()
        assert not home_of(CURSOR).exists()
        assert read_record(data_folder).files == {}

    def test_disabling_takes_in_every_platform_that_was_installed(self, home_of, capsys):
        call_command("install", "--all")

        call_command("install", "--disable")

        assert all(is_off(home_of(platform).read_text(), platform) for platform in (CLAUDE, CURSOR))
        assert "switched off" in capsys.readouterr().out

    def test_a_broken_file_of_one_platform_stops_both(self, home_of):
        home_of(CURSOR).write_text("{")

        with pytest.raises(CommandError, match=r"hooks\.json is not valid JSON: line 1 column 2"):
            call_command("install", "--all")

        assert not home_of(CLAUDE).exists()

    def test_two_actions_at_once_are_refused(self):
        with pytest.raises(CommandError, match="not allowed with"):
            call_command("install", "--disable", "--enable")

    def test_asked_for_more_words_it_shows_the_change(self, capsys):
        call_command("install", "-v", "2")

        assert capsys.readouterr().out.startswith("--- ")
