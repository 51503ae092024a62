from dataclasses import fields
from pathlib import Path

import pytest

from nokori_site.config import Config, load_config, publish_config
from rules.fields import FIELDS


@pytest.fixture
def load_toml(data_folder):
    def load(text: str | bytes, **environ: str) -> Config:
        path = Path(data_folder.config_toml)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return load_config({"NOKORI_DATA_DIR": data_folder.root, **environ})

    return load


def test_config_has_one_attribute_for_each_row_of_the_table():
    names = [attribute.name for attribute in fields(Config)]

    assert names == [row.name for row in FIELDS] + ["problems", "unknown"]


def test_without_a_file_and_variables_every_setting_has_its_default(data_folder):
    config = load_config({"NOKORI_DATA_DIR": data_folder.root})

    given = {row.name: getattr(config, row.name) for row in FIELDS if row.name != "data_dir"}
    assert given == {row.name: row.default for row in FIELDS if row.name != "data_dir"}
    assert config.problems == ()


def test_the_file_stands_over_the_default_and_the_environment_over_the_file(load_toml):
    config = load_toml("[gate]\nttl_seconds = 5\nbatch_window_ms = 6", NOKORI_GATE_TTL_SECONDS="7")

    assert (config.gate_ttl_seconds, config.gate_batch_window_ms) == (7, 6)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[gate]\nttl_seconds = 'soon'", "config.toml: gate.ttl_seconds = 'soon' is not allowed; use a whole number, 0 or more."),
        ("log_level = 'loud'", "config.toml: log_level = 'loud' is not allowed; use debug or info or warn or warning or error."),
        ("[gate]\nmatcher = '('", "config.toml: gate.matcher = '(' is not allowed; use a Python regular expression of at most 512 characters."),
        ("colour = 1", "config.toml: colour is not a setting of Nokori."),
        ("[gates]\nenabled = true", "config.toml: gates is not a setting of Nokori."),
        ("[gate]\nmatch = 'Bash'", "config.toml: gate.match is not a setting of Nokori."),
        ("gate = true", "config.toml: gate is not a setting of Nokori."),
        ("[llm]\napi_key = 12345", "config.toml: llm.api_key = (hidden) is not allowed; use text of at most 4096 characters."),
        ("[llm]\nbase_url = 'ftp://u:sk-1@h'", "config.toml: llm.base_url = (hidden) is not allowed; use an http:// or https:// address, or nothing."),
    ],
    ids=["number", "choice", "regex", "unknown key", "unknown table", "unknown key in a table", "no table", "secret", "password"],
)  # fmt: skip
def test_a_wrong_entry_of_the_file_is_one_sentence_and_leaves_the_default(load_toml, text, problem):
    config = load_toml(text)

    assert config.problems == (problem,)
    assert config.gate_ttl_seconds == 600


def test_a_wrong_variable_is_one_sentence_and_leaves_the_value_of_the_file(load_toml):
    config = load_toml("[gate]\nttl_seconds = 5", NOKORI_GATE_TTL_SECONDS="soon")

    assert config.gate_ttl_seconds == 5
    assert config.problems == ("NOKORI_GATE_TTL_SECONDS = 'soon' is not allowed; use a whole number, 0 or more.",)


def test_one_wrong_entry_does_not_take_the_right_ones_with_it(load_toml):
    config = load_toml("colour = 1\n[gate]\nttl_seconds = 5\nenabled = 'perhaps'")

    assert config.gate_ttl_seconds == 5
    assert config.gate_enabled is True


def test_broken_toml_is_named_with_line_and_column(load_toml):
    config = load_toml("strict = true\n[gate\n")

    assert len(config.problems) == 1
    assert "line 2, column 6" in config.problems[0]
    assert config.strict is False


def test_a_file_that_is_not_utf8_is_one_sentence(load_toml):
    config = load_toml("dismiss_phrase = '忘れて'".encode("cp932"))

    assert config.problems == ("config.toml is not UTF-8: see byte 19.",)


def test_a_byte_order_mark_does_no_harm(load_toml):
    config = load_toml("strict = true".encode("utf-8-sig"))

    assert (config.strict, config.problems) == (True, ())


def test_a_folder_in_the_place_of_the_file_is_one_sentence(data_folder):
    Path(data_folder.config_toml).mkdir(parents=True)

    config = load_config({"NOKORI_DATA_DIR": data_folder.root})

    assert config.problems == (f"{data_folder.config_toml} cannot be read: Is a directory.",)


def test_arrays_nested_without_end_are_one_sentence(load_toml):
    config = load_toml("strict = " + "[" * 100_000)

    assert len(config.problems) == 1


def test_no_secret_is_in_the_printed_form(load_toml):
    config = load_toml(
        "[llm]\napi_key = 'sk-1'\n[embed]\napi_key = 'sk-2'", NOKORI_DATABASE_URL="postgres://u:sk-3@h/n"
    )

    assert config.llm_api_key == "sk-1"
    assert "sk-" not in repr(config)


def test_no_secret_is_published_for_the_hooks(load_toml, data_folder):
    load_toml("[llm]\napi_key = 'sk-1'\nbase_url = 'https://u:sk-2@h'\n[database]\nurl = 'postgres://u:sk-3@h/n'")

    publish_config(data_folder)

    assert b"sk-" not in Path(data_folder.published, "config.json").read_bytes()


@pytest.mark.parametrize(
    ("environ", "home"),
    [
        ({}, "~/.claude"),
        ({"CLAUDE_CONFIG_DIR": ""}, "~/.claude"),
        ({"CLAUDE_CONFIG_DIR": "/c"}, "/c"),
        ({"CLAUDE_CONFIG_DIR": "/c", "NOKORI_CLAUDE_HOME": "/n"}, "/n"),
    ],
)
def test_claudes_own_variable_names_its_home_unless_ours_does(tmp_path, environ, home):
    config = load_config({"NOKORI_DATA_DIR": str(tmp_path), **environ})

    assert config.claude_home == home
