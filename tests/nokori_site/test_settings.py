import stat
import subprocess
import sys
import zoneinfo
from pathlib import Path

import pytest
from django.conf import settings

from nokori_site.database_url import is_database_url, parse_database_url
from nokori_site.secret_key import secret_key


def test_the_apps_of_the_card_are_installed():
    assert {"rules", "retrieval", "extraction", "hooks", "nokori_site"} <= set(settings.INSTALLED_APPS)


def test_only_this_machine_may_ask_for_a_page():
    assert settings.ALLOWED_HOSTS == [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "testserver",
    ]  # Django's test runner adds the last


@pytest.fixture
def zone_name(monkeypatch):
    """The name that a new process finds when TZ says this."""

    def find(variable: str) -> str:
        monkeypatch.setenv("TZ", variable)
        program = "from nokori_site.local_zone import local_zone_name; print(local_zone_name())"
        return subprocess.check_output([sys.executable, "-c", program], cwd=settings.BASE_DIR, text=True).strip()

    return find


@pytest.mark.parametrize("name", ["Asia/Tokyo", "Europe/Berlin"])
def test_days_are_those_of_the_machines_zone(zone_name, name):
    assert zone_name(name) == name


@pytest.mark.parametrize("variable", ["No/Where", "EST5EDT4,M3", "", ":/nowhere"])
def test_a_zone_that_cannot_be_loaded_is_never_taken(zone_name, variable):
    assert zone_name(variable) in zoneinfo.available_timezones()


def test_the_secret_key_is_made_once_and_is_the_owners_alone(data_folder):
    first, second = secret_key(data_folder), secret_key(data_folder)

    assert first == second
    assert len(first) >= 50
    assert stat.S_IMODE(Path(data_folder.secret_key).stat().st_mode) == 0o600


def test_without_an_address_the_database_is_a_file_of_the_data_folder():
    entry = parse_database_url("", default_file="/data/rules.db")

    assert (entry["ENGINE"], entry["NAME"]) == ("django.db.backends.sqlite3", "/data/rules.db")
    assert entry["OPTIONS"]["timeout"] == 20


def test_an_address_may_name_another_database():
    entry = parse_database_url("postgres://me:pass@db.example:5433/rules", default_file="/data/rules.db")

    assert (entry["ENGINE"], entry["HOST"], entry["PORT"]) == ("django.db.backends.postgresql", "db.example", 5433)
    assert "OPTIONS" not in entry


@pytest.mark.parametrize("url", ["postgers://host/name", "postgres://host:port/name", "rules.db"])
def test_an_address_that_names_no_database_is_recognised(url):
    assert not is_database_url(url)
