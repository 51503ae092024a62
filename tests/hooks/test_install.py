"""Installing never harms: the settings file before, after and after the way out again."""

import json
import os
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from hooks.install import BACKUP_SUFFIX, carry_out, hook_lines, plan_install, plan_uninstall, settings_path
from hooks.platforms import CLAUDE
from hooks.registration import SettingsRefused

COMMANDS = hook_lines("/venv/bin/python", "/opt/nokori/manage.py")
OTHER_COMMANDS = hook_lines("/another/bin/python", "/another/manage.py")
FOREIGN = '{\n\t"model": "opus",\n\t"hooks": {"Stop": [ {"hooks": [{"type": "command", "command": "x"}]} ]}\n}'


@pytest.fixture
def settings_file(tmp_path: Path) -> Path:
    return tmp_path / "claude" / "settings.json"


@pytest.fixture
def written(settings_file):
    """Writes the settings file as a user would have it."""

    def write(text, mode=0o640):
        settings_file.parent.mkdir(exist_ok=True)
        settings_file.write_bytes(text.encode())
        settings_file.chmod(mode)
        return settings_file

    return write


def install(path, commands=COMMANDS):
    return carry_out(plan_install(path, commands=commands))


def uninstall(path):
    return carry_out(plan_uninstall(path))


def files_beside(path):
    return sorted(entry.name for entry in path.parent.iterdir())


def test_nb122_the_report_is_read_from_the_file_after_writing(written):
    found = install(written(FOREIGN))

    assert [row.key for row in found.registrations] == [entry.key for entry in CLAUDE.entries]
    assert [row.command for row in found.registrations] == list(COMMANDS.values())


@pytest.mark.parametrize(
    "text",
    [
        FOREIGN,
        FOREIGN + "\n",
        "{}",
        '{"hooks": {}}',
        '{ "hooks" : { "SessionStart" : [ ] } }\n',
        "\ufeff{}\r\n",
        '{\r\n "a": 1\r\n}',
    ],
)
def test_nb126_uninstall_gives_back_the_file_byte_for_byte_and_leaves_no_backup(written, text):
    path = written(text)

    install(path)
    uninstall(path)

    assert path.read_bytes() == text.encode()
    assert files_beside(path) == ["settings.json"]


def test_uninstall_removes_a_file_that_install_made(settings_file):
    install(settings_file)

    uninstall(settings_file)

    assert not settings_file.exists()


def test_a_reinstall_from_another_path_is_undone_to_the_first_state(written):
    path = written(FOREIGN)

    install(path)
    install(path, OTHER_COMMANDS)
    uninstall(path)

    assert path.read_text() == FOREIGN


def test_a_change_by_the_user_survives_uninstall(written):
    path = written(FOREIGN)
    install(path)
    path.write_text(path.read_text().replace("opus", "haiku"))

    uninstall(path)

    assert path.read_text() == FOREIGN.replace("opus", "haiku")
    assert files_beside(path) == ["settings.json", "settings.json" + BACKUP_SUFFIX]


def test_a_damaged_backup_is_not_given_back(written):
    path = written(FOREIGN)
    install(path)
    path.with_name(path.name + BACKUP_SUFFIX).write_text("{")

    uninstall(path)

    assert path.read_text() == FOREIGN


def test_installing_again_changes_nothing_not_even_the_time(written):
    path = written(FOREIGN)
    install(path)
    os.utime(path, (1, 1))

    install(path)

    assert path.stat().st_mtime == 1


def test_nb123_the_first_state_is_kept_beside_the_file(written):
    path = written(FOREIGN)

    install(path)
    install(path, OTHER_COMMANDS)

    backup = path.with_name(path.name + BACKUP_SUFFIX)
    assert backup.read_text() == FOREIGN
    assert backup.stat().st_mode & 0o777 == 0o640


def test_a_new_first_state_replaces_the_backup_of_an_old_one(written):
    path = written(FOREIGN)
    install(path)
    path.write_text("{}")

    install(path)

    assert path.with_name(path.name + BACKUP_SUFFIX).read_text() == "{}"


def test_nb123_a_symlink_and_the_mode_are_kept(tmp_path):
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text(json.dumps({"unknown": "x" * 5000}))
    real.chmod(0o600)
    link = tmp_path / "settings.json"
    link.symlink_to(real)

    install(link)

    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert json.loads(real.read_text())["unknown"] == "x" * 5000
    assert "SessionEnd" in json.loads(real.read_text())["hooks"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only a superuser writes for others")
def test_a_superuser_leaves_the_file_to_its_owner(written):
    path = written(FOREIGN)
    os.chown(path, 1234, 1234)

    install(path)

    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1234)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"hooks": 1}', '{"a": 1, "a": 1}'])
def test_nb123_a_file_that_is_refused_is_not_touched(written, text):
    path = written(text)

    with pytest.raises(SettingsRefused):
        install(path)

    assert path.read_text() == text
    assert files_beside(path) == ["settings.json"]


def test_a_file_that_is_not_utf8_is_refused_with_the_place(settings_file):
    settings_file.parent.mkdir()
    settings_file.write_bytes(b'{"a": "\x82\xa0"}')

    with pytest.raises(SettingsRefused, match="see byte 8"):
        install(settings_file)


def test_a_file_that_changes_between_look_and_write_is_not_overwritten(written):
    path = written(FOREIGN)
    change = plan_install(path, commands=COMMANDS)
    path.write_text("{}")

    with pytest.raises(SettingsRefused, match="run it again"):
        carry_out(change)

    assert path.read_text() == "{}"


def test_uninstall_without_our_entries_changes_nothing(written):
    path = written(FOREIGN)

    assert not plan_uninstall(path).is_needed


def test_uninstall_without_a_settings_file_changes_nothing(settings_file):
    assert not plan_uninstall(settings_file).is_needed


def test_a_diff_shows_additions_only(written):
    diff = plan_install(written(FOREIGN + "\n"), commands=COMMANDS).diff

    assert [line for line in diff.splitlines() if line.startswith("-")] == [
        f"--- {plan_install(written(FOREIGN), commands=COMMANDS).path}",
        '-\t"hooks": {"Stop": [ {"hooks": [{"type": "command", "command": "x"}]} ]}',
    ]


def test_the_home_folder_may_be_named_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))

    assert settings_path("~/.claude") == tmp_path.resolve() / ".claude" / "settings.json"


class TestCommand:
    @pytest.fixture(autouse=True)
    def _home(self, data_folder, settings, settings_file):
        object.__setattr__(settings.NOKORI, "claude_home", str(settings_file.parent))

    def test_it_registers_this_interpreter_and_this_checkout(self, settings, settings_file, capsys):
        call_command("install")

        command = f'"{sys.executable}" -I -S "{settings.NOKORI_MANAGE}" hook session-end || exit 1'
        assert command in capsys.readouterr().out
        assert command in json.loads(settings_file.read_text())["hooks"]["SessionEnd"][0]["hooks"][0].values()

    def test_a_dry_run_prints_a_diff_and_writes_nothing(self, settings_file, capsys):
        call_command("install", "--dry-run")

        assert capsys.readouterr().out.startswith(f"--- {settings_file.resolve()}\n+++ ")
        assert not settings_file.exists()

    def test_a_dry_run_of_uninstall_writes_nothing_either(self, settings_file, capsys):
        call_command("install")
        before = settings_file.read_text()

        call_command("install", "--uninstall", "--dry-run")

        assert "\n-" in capsys.readouterr().out
        assert settings_file.read_text() == before

    def test_it_says_when_there_is_nothing_to_do(self, capsys):
        call_command("install")
        call_command("install")

        assert "no changes needed" in capsys.readouterr().out

    def test_it_says_that_the_client_runs_no_hooks(self, written, capsys):
        written('{"disableAllHooks": true}')

        call_command("install")

        assert "disableAllHooks is true" in capsys.readouterr().out

    def test_a_broken_file_is_one_line_with_its_place(self, written):
        written("{,}")

        with pytest.raises(CommandError, match=r"settings\.json is not valid JSON: line 1 column 2: .*Nothing was"):
            call_command("install")
