"""Fixtures for every test: a data folder of its own, and no way to reach the real home folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from nokori_site.access import links, web_token
from nokori_site.config import load_config
from rules.disk import DataFolder
from tests.api_client import ApiClient

MANAGE = Path(__file__).resolve().parent.parent / "manage.py"
OURS = ("NOKORI_", "CLAUDE", "CURSOR_", "CODEX_")

# No example depends on the load, and nothing is written into the checkout.
hypothesis_settings.register_profile(
    "busy machine", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("busy machine")


@pytest.fixture(scope="session", autouse=True)
def _no_real_home(tmp_path_factory):
    """Points the process at an empty home folder for the whole run, with none of the user's own settings."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(OURS)]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("NOKORI_DATA_DIR", str(home / "nokori"))
        patch.setenv("NOKORI_NO_SPAWN", "1")
        patch.setenv("HF_HUB_OFFLINE", "1")  # `install` fetches no model
        django_settings.SECRET_KEY = "for tests only"  # noqa: S105  reading the lazy one would make it, in the real home
        patch.setattr(django_settings, "NOKORI", load_config(os.environ))
        patch.setattr(django_settings, "NOKORI_FOLDER", DataFolder(str(home / "nokori")))
        yield


@pytest.fixture
def data_folder(tmp_path, monkeypatch, settings) -> DataFolder:
    """An empty data folder that both this process and the ones it starts take for the user's."""
    folder = DataFolder(str(tmp_path / "nokori"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("NOKORI_DATA_DIR", folder.root)
    settings.NOKORI_FOLDER = folder
    settings.NOKORI = load_config(os.environ)
    return folder


@pytest.fixture
def run_manage(data_folder):
    """Runs manage.py as a process of its own: run_manage("add", "--trigger", "...", stdin="...")."""

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", str(MANAGE), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def pages(data_folder, db) -> Client:
    """A browser that followed the link of `web`: it has the cookie."""
    client = Client()
    client.get(links.issue(""))
    return client


@pytest.fixture
def api(data_folder, db) -> ApiClient:
    """A program that may call the API."""
    return ApiClient(web_token(data_folder))


@pytest.fixture(autouse=True)
def _in_english():
    """A page in another language leaves that language to whatever its thread does next."""
    yield
    translation.deactivate()
