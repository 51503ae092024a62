"""`export` and `import` as a user types them."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from rules.models import Rule
from tests.conftest import MANAGE

pytestmark = pytest.mark.django_db

ORIGINAL = str(Path(__file__).parent / "exports" / "version-05.json")


def said(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_an_import_says_how_many_came_and_how_many_were_here():
    first = said("import", ORIGINAL)
    second = said("import", ORIGINAL)

    assert first == "imported 4 rules (1 active, 1 archived, 1 candidate, 1 merged); skipped 0 (already present)\n"
    assert second == "imported 0 rules; skipped 4 (already present)\n"


def test_an_import_names_fields_without_a_place_and_renamed_rules():
    Rule.objects.all().delete()
    said("import", ORIGINAL.replace("05", "10"))

    told = said("import", ORIGINAL.replace("05", "09"))

    assert "fields without a place here: concepts, created_by_pipeline_version" in told


def test_a_dry_run_writes_nothing():
    told = json.loads(said("import", ORIGINAL, "--dry-run", "--json"))

    assert (told["is_trial"], told["imported"], told["skipped"]) == (True, 4, 0)
    assert Rule.objects.count() == 0


def test_an_export_goes_to_a_private_file_and_leaves_nothing_beside_it(tmp_path):
    said("import", ORIGINAL)
    path = tmp_path / "rules.json"

    told = said("export", str(path))

    assert told == f"exported 4 rules to {path}\n"
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]
    assert said("import", str(path)) == "imported 0 rules; skipped 4 (already present)\n"


@pytest.mark.parametrize("arguments", [("-",), ("--json",)], ids=["dash", "json"])
def test_an_export_to_stdout_is_the_document_alone(arguments):
    said("import", ORIGINAL)

    printed = json.loads(said("export", *arguments))

    assert (printed["format"], printed["version"]) == ("nokori-rules", 1)
    assert len(printed["rules"]) == 4


def test_an_export_that_fails_leaves_the_older_file(tmp_path, monkeypatch):
    path = tmp_path / "rules.json"
    path.write_text("older", encoding="utf-8")
    monkeypatch.setattr(os, "fsync", _full_disk)

    with pytest.raises(CommandError, match=r"rules\.json cannot be written: disk full"):
        said("export", str(path))

    assert path.read_text(encoding="utf-8") == "older"
    assert list(tmp_path.iterdir()) == [path]


def _full_disk(_descriptor):
    raise OSError("disk full")


def test_a_wrong_record_is_the_commands_one_sentence(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"version": 5, "rules": [{"id": "1", "trigger_text": "When", "action": "Do"}]}', encoding="utf-8")

    with pytest.raises(CommandError, match=r"bad.json: rules\[0\]\.id is not a UUID\. Nothing was imported\.$"):
        said("import", str(path))


def test_an_export_without_a_path_asks_for_one():
    with pytest.raises(CommandError, match="a path, or - for stdout"):
        said("export")


def test_both_verbs_work_as_processes_through_pipes(run_manage, monkeypatch):
    told = run_manage("import", "-", stdin=Path(ORIGINAL).read_text(encoding="utf-8"))
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")  # a terminal that cannot show Chinese
    printed = subprocess.run([sys.executable, MANAGE, "export", "-"], capture_output=True, check=True)

    assert told.stdout.startswith("imported 4 rules")
    assert told.stderr == ""
    assert json.loads(printed.stdout)["rules"][0]["trigger_zh"] == "强制推送到共享分支"


def test_a_file_that_is_not_there_is_one_line_and_exit_1(run_manage):
    told = run_manage("import", "nowhere.json")

    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == "nokori: nowhere.json cannot be read: No such file or directory.\n"


def test_a_file_that_is_no_export_is_named_with_what_became_of_it(tmp_path):
    path = tmp_path / "notes.json"
    path.write_text('{"rules": [')

    with pytest.raises(CommandError, match=r"notes.json: The file is not valid JSON: .* Nothing was imported"):
        said("import", str(path))


def test_an_export_into_a_folder_that_is_not_there_names_the_file_that_was_meant(tmp_path):
    path = tmp_path / "nowhere" / "rules.json"

    with pytest.raises(CommandError, match=rf"^{path} cannot be written: No such file or directory\.$"):
        said("export", str(path))
