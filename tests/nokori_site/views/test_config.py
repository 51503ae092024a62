"""Config shows value, source and default side by side, changes config.toml, and never shows a secret."""

import re
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from nokori_site.config import load_config
from nokori_site.config_report import MASK, by_section, report
from nokori_site.finding import Finding, State
from nokori_site.setting_wording import DOCS
from rules.fields import FIELDS

pytestmark = pytest.mark.django_db


@pytest.fixture
def write(data_folder):
    def write(text):
        Path(data_folder.root).mkdir(exist_ok=True)
        Path(data_folder.config_toml).write_text(text, encoding="utf-8")

    return write


def row(folder, name, **environ):
    rows = report(folder, environ={"NOKORI_DATA_DIR": folder.root} | environ)
    return next(row for row in rows if row.name == name)


def shown(pages):
    return pages.get("/config/").content.decode()


def test_the_environment_comes_before_the_file_and_the_file_before_the_default(write, data_folder):
    write("[gate]\nttl_seconds = 300\n")

    default, file = row(data_folder, "log_level"), row(data_folder, "gate_ttl_seconds")
    environment = row(data_folder, "gate_ttl_seconds", NOKORI_GATE_TTL_SECONDS="60")

    assert (default.value, default.source) == ("warn", "default")
    assert (file.value, file.source, file.default) == ("300", "config.toml", "600")
    assert (environment.value, environment.source, environment.file_value) == ("60", "environment", "300")
    assert environment.is_overruled


def test_every_setting_has_its_place_on_the_page(pages):
    page = shown(pages)

    assert set(re.findall(r'<li class="setting" id="(\w+)"', page)) == {field.name for field in FIELDS}


def test_what_only_the_environment_sets_cannot_be_edited(data_folder):
    sections = by_section(report(data_folder, environ={}))

    assert {row.name for row in sections["environment"]} == {field.name for field in FIELDS if not field.toml}
    assert not any(row.is_editable for row in sections["environment"])


def test_secrets_are_masked(write, data_folder, pages):
    write('[llm]\napi_key = "file-key-9f8e7d"\nbase_url = "http://me:pass9@host/v1"\n')

    page = shown(pages)

    assert not [word for word in ("file-key-9f8e7d", "pass9") if word in page]
    assert MASK in page
    assert row(data_folder, "llm_base_url").value == f"http://{MASK}@host/v1"


def test_an_edit_is_written_and_holds_at_once(write, data_folder, pages):
    write("# mine\n")

    page = pages.post("/config/", {"name": "gate_enabled", "value": "false"}, follow=True).content.decode()

    assert "Saved gate_enabled." in page
    assert Path(data_folder.config_toml).read_text(encoding="utf-8") == "# mine\n\n[gate]\nenabled = false\n"
    assert django_settings.NOKORI.gate_enabled is False


def test_a_bad_value_is_refused_in_one_sentence_and_nothing_is_written(write, data_folder, pages):
    write('log_level = "info"\n')

    page = pages.post("/config/", {"name": "log_level", "value": "loud"}, follow=True).content.decode()

    assert "log_level = &#x27;loud&#x27; is not allowed" in page
    assert load_config({"NOKORI_DATA_DIR": data_folder.root}).log_level == "info"


def test_a_setting_is_taken_out_of_the_file(write, data_folder, pages):
    write('log_level = "info"\n')

    pages.post("/config/", {"name": "log_level", "value": "info", "reset": "1"})

    assert load_config({"NOKORI_DATA_DIR": data_folder.root}).log_level == "warn"


def test_a_broken_file_is_told_at_the_top(write, pages):
    write("log_level = \n")

    assert "config.toml is not valid TOML" in shown(pages)


def test_health_is_a_part_of_its_own(pages):
    page = pages.get("/config/health/").content.decode()

    assert "manage.py install" in page
    assert 'id="health"' in page


def test_the_translators_have_every_text():
    assert [field.doc for field in FIELDS] == list(DOCS)


@pytest.mark.parametrize(
    ("state", "verdict"),
    [(State.OK, "all well"), (State.NOTE, "all well"), (State.WARN, "worth a look"), (State.FAIL, "needs you")],
)
def test_the_verdict_on_health_is_that_of_the_worst_row(pages, monkeypatch, state, verdict):
    rows = [
        Finding("spool", State.OK, "fine"),
        Finding("jobs", state, "as it is"),
        Finding("disk", State.NOTE, "so so"),
    ]
    monkeypatch.setattr("nokori_site.views.config.examine", lambda *_, **__: rows)

    assert verdict in pages.get("/config/health/").content.decode()
