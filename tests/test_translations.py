"""Every string of pages and admin in every language: none missing, none doubtful, and the compiled files up to date."""

import os
import re
import shutil
import subprocess
import sys
from gettext import GNUTranslations
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.utils.translation import override, to_locale

from nokori_site import wording
from rules.lifecycle import Confidence, EvidenceKind, Scope, SourceType, Status
from rules.models import StatusChange
from tests.test_architecture import FILES, ROOT

LANGUAGES = ("zh_Hans", "zh_Hant", "ja")
LOCALE = ROOT / "nokori_site" / "locale"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|<[^>]+>")
needs_gettext = pytest.mark.skipif(shutil.which("xgettext") is None, reason="gettext is not installed; .ci/run has it")


def messages(language, folder=LOCALE):
    with (folder / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        return GNUTranslations(file)._catalog  # type: ignore[attr-defined]  # not public, and nothing else lists them


def source_of(key):
    """The English text; a plural's key is (singular, number), a context stands before \\x04."""
    text = key[0] if isinstance(key, tuple) else key
    return text.rpartition("\x04")[2]


@pytest.fixture(scope="module")
def fresh_catalog(tmp_path_factory):
    """What makemessages makes of today's sources and the Japanese file."""
    copy = tmp_path_factory.mktemp("sources")
    for name in [name for name in FILES if name.endswith((".py", ".html", ".po")) and not name.startswith("tests/")]:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    command = [sys.executable, "-m", "django", "makemessages", "--locale=ja", "--no-location", "--no-obsolete"]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "nokori_site.settings", "PYTHONPATH": str(copy)}
    subprocess.run(command, cwd=copy, env=environment, check=True, capture_output=True)
    return copy / "nokori_site" / "locale" / "ja" / "LC_MESSAGES" / "django.po"


@needs_gettext
@pytest.mark.parametrize("option", ["--untranslated", "--only-fuzzy"])
def test_no_string_of_the_sources_is_untranslated_or_doubtful(fresh_catalog, option):
    left = subprocess.run(["msgattrib", option, str(fresh_catalog)], check=True, capture_output=True, text=True).stdout  # noqa: S607

    assert re.findall(r'^msgid "(?!")(.*)"', left, flags=re.MULTILINE) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_everything(language):
    ours = {key: text for key, text in messages(language).items() if key}

    assert set(ours) == {key for key in messages("ja") if key}
    assert [key for key, text in ours.items() if not text] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_keeps_every_placeholder(language):
    wrong = [
        key
        for key, text in messages(language).items()
        if key and set(PLACEHOLDER.findall(source_of(key))) - {"%(names)s"} - set(PLACEHOLDER.findall(text))
    ]

    assert wrong == []


@needs_gettext
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_file_is_up_to_date_and_none_is_doubtful(language, tmp_path):
    source = LOCALE / language / "LC_MESSAGES" / "django.po"
    target = tmp_path / language / "LC_MESSAGES" / "django.mo"
    target.parent.mkdir(parents=True)

    subprocess.run(["msgfmt", "--check-format", "-o", str(target), str(source)], check=True)  # noqa: S607

    assert {key: text for key, text in messages(language, tmp_path).items() if key} == {
        key: text for key, text in messages(language).items() if key
    }
    assert "#, fuzzy" not in source.read_text(encoding="utf-8")


def test_every_word_that_the_database_keeps_can_be_translated():
    words = {str(word) for words in (Status, SourceType, Confidence, Scope, EvidenceKind) for word in words}

    assert words <= set(wording.WORDS)


def test_every_name_that_the_admin_shows_can_be_translated():
    admin.autodiscover()
    shown: list[Any] = [model for model in admin.site._registry if model.__module__.partition(".")[0] != "django"]
    with override("en"):
        names = {str(name) for model in shown for name in (model._meta.verbose_name, model._meta.verbose_name_plural)}
        names |= {str(column.verbose_name) for model in [*shown, StatusChange] for column in model._meta.fields}

    assert names <= {*wording.NAMES, *wording.WORDS}


def test_each_language_of_the_switch_has_its_file():
    files = {Path(name).parts[2] for name in FILES if name.endswith("django.mo")}

    assert {to_locale(code) for code, _ in settings.LANGUAGES} == {"en", *files}
