"""What README.md and config.toml.example say is what the table of settings and the commands are."""

import re
import tomllib
from pathlib import Path

import pytest
from django.core.management import get_commands

from nokori_site.version import VERSION
from rules.fields import FIELDS, Field, parse_setting

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / "config.toml.example").read_text(encoding="utf-8")
IN_FILE = [row for row in FIELDS if row.toml]


def by_name(row: Field) -> str:
    return row.name


def readme_row(row: Field) -> str:
    default = str(int(row.default)) if row.kind == "bool" else str(row.default)
    shown = f"`{default}`".replace("|", "\\|") if default else "none"
    place = f"`{row.toml}`" if row.toml else ""
    return f"| `{row.env}` | {place} | {shown} | {row.doc} |"


def uncommented(text: str) -> str:
    return re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE)


def leaves(tree: dict[str, object], prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in tree.items():
        found |= leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return found


@pytest.mark.parametrize("row", FIELDS, ids=by_name)
def test_the_readme_has_one_row_for_each_setting(row):
    assert README.splitlines().count(readme_row(row)) == 1


def test_the_readme_has_no_row_for_a_variable_that_does_not_exist():
    named = set(re.findall(r"^\| `(NOKORI_\w+)`", README, flags=re.MULTILINE))

    assert named == {row.env for row in FIELDS}


def test_the_example_is_valid_as_it_stands_and_sets_nothing():
    assert leaves(tomllib.loads(EXAMPLE)) == {}


def test_the_example_shows_each_setting_with_its_default():
    shown = leaves(tomllib.loads(uncommented(EXAMPLE)))

    assert {row.toml: parse_setting(row, shown[row.toml], source="") for row in IN_FILE} == {
        row.toml: row.default for row in IN_FILE
    }
    assert set(shown) == {row.toml for row in IN_FILE}


@pytest.mark.parametrize("row", IN_FILE, ids=by_name)
def test_the_example_explains_each_setting_and_names_its_variable(row):
    lines = [line for line in EXAMPLE.splitlines() if line.endswith(f"({row.env})")]

    assert len(lines) == 1
    assert lines[0].startswith(f"# {row.doc}")


def test_the_package_has_the_version_that_the_program_prints():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION


def test_every_command_that_the_readme_names_exists():
    named = set(re.findall(r"manage\.py ([a-z]+)", README))

    assert named <= set(get_commands())
