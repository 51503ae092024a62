"""A setting is written into config.toml beside everything that stands there, or not at all."""

from pathlib import Path

import pytest

from nokori_site.config import load_config
from nokori_site.config_editing import ConfigRefused, change_settings

TEXT = """\
# mine
log_level = "info"  # while I look

[gate]
# ten minutes
ttl_seconds = 600
matcher = "Bash"

[colours]  # not Nokori's
sky = "blue"
"""


@pytest.fixture
def file(data_folder):
    Path(data_folder.root).mkdir()
    path = Path(data_folder.config_toml)
    path.write_text(TEXT, encoding="utf-8")
    return path


def read(folder):
    return load_config({"NOKORI_DATA_DIR": folder.root})


def test_comments_order_and_unknown_tables_stay(file, data_folder):
    changed = change_settings(data_folder, {"gate_ttl_seconds": "60"})

    assert changed == ("gate_ttl_seconds",)
    assert file.read_text(encoding="utf-8") == TEXT.replace("ttl_seconds = 600", "ttl_seconds = 60")


def test_a_setting_taken_out_is_its_default_again(file, data_folder):
    change_settings(data_folder, {"gate_matcher": None})

    assert "matcher" not in file.read_text(encoding="utf-8")
    assert "Edit" in read(data_folder).gate_matcher


def test_the_first_setting_makes_the_file(data_folder):
    change_settings(data_folder, {"extract_mode": "async", "gate_enabled": "0"})

    assert (read(data_folder).extract_mode, read(data_folder).gate_enabled) == ("async", False)
    assert Path(data_folder.config_toml).stat().st_mode & 0o077 == 0


def test_a_value_that_stands_there_already_writes_nothing(file, data_folder):
    before = file.stat().st_mtime_ns

    assert change_settings(data_folder, {"log_level": "info"}) == ()
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"gate_ttl_seconds": "-1"}, "gate.ttl_seconds"),
        ({"gate_ttl_seconds": "60", "log_level": "loud"}, "log_level"),
        ({"data_dir": "/elsewhere"}, "not a setting of config.toml"),
        ({"sky": "red"}, "not a setting of config.toml"),
    ],
    ids=str,
)
def test_nothing_is_written_when_one_value_is_bad(file, data_folder, changes, told):
    with pytest.raises(ConfigRefused, match=told):
        change_settings(data_folder, changes)

    assert file.read_text(encoding="utf-8") == TEXT


def test_a_bad_secret_is_not_repeated(data_folder):
    with pytest.raises(ConfigRefused) as refused:
        change_settings(data_folder, {"llm_api_key": "x" * 5000})

    assert "xxx" not in str(refused.value)


@pytest.mark.parametrize("text", ["gate = 3\n", "[gate\n", "log_level = \n"])
def test_a_file_that_cannot_take_it_is_left_alone(file, data_folder, text):
    file.write_text(text)

    with pytest.raises(ConfigRefused, match=r"config\.toml"):
        change_settings(data_folder, {"gate_ttl_seconds": "60"})

    assert file.read_text() == text


def test_what_hooks_read_cannot_be_written_so_the_file_is_what_it_was(file, data_folder):
    Path(data_folder.published).touch()  # a file where the folder belongs

    with pytest.raises(OSError, match="published"):
        change_settings(data_folder, {"gate_ttl_seconds": "60"})

    assert file.read_text(encoding="utf-8") == TEXT


def test_a_link_to_a_file_elsewhere_stays_a_link(file, data_folder, tmp_path):
    elsewhere = tmp_path / "dotfiles.toml"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)

    change_settings(data_folder, {"gate_ttl_seconds": "60"})

    assert file.is_symlink()
    assert "ttl_seconds = 60" in elsewhere.read_text(encoding="utf-8")


def test_line_ends_of_another_system_stay(file, data_folder):
    file.write_bytes(TEXT.replace("\n", "\r\n").encode())

    change_settings(data_folder, {"gate_ttl_seconds": "60"})

    assert file.read_bytes() == TEXT.replace("ttl_seconds = 600", "ttl_seconds = 60").replace("\n", "\r\n").encode()
