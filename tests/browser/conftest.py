"""A real browser before a real server: `web` in a process of its own with a data folder of its own, and Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
MANAGE = ROOT / "manage.py"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (  # it asks nobody but the page
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
START_SECONDS = 60


@dataclass
class Site:
    """A running `web`. link: the one that it printed, which opens one browser."""

    folder: Path
    address: str
    link: str
    environment: dict[str, str] = field(repr=False)

    @property
    def token(self) -> str:
        return (self.folder / "web_token").read_text()

    def manage(self, *arguments: str) -> str:
        """What manage.py prints with this data folder."""
        command = [sys.executable, str(MANAGE), *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout


@contextmanager
def served(folder: Path, **variables: str) -> Iterator[Site]:
    """`web` on a free port until the block ends, and its own end by Ctrl-C."""
    environment = os.environ | {"NOKORI_DATA_DIR": str(folder), "HOME": str(folder.parent), "NOKORI_NO_SPAWN": "1"}
    environment |= {"DJANGO_SETTINGS_MODULE": "nokori_site.settings", **variables}
    command = [sys.executable, "-u", str(MANAGE), "web", "--no-browser", "--port", "18765"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        link = next(line.strip() for line in server.stdout if "once=" in line)
        _wait_until_it_listens(link.split("/enter")[0])
        yield Site(folder=folder, address=link.split("/enter")[0], link=link, environment=environment)
    finally:
        server.send_signal(signal.SIGINT)
        rest, _ = server.communicate(timeout=20)
    assert (server.returncode, rest) == (0, "Ended.\n")


def _wait_until_it_listens(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[Site]:
    """With no rule and no past."""
    with served(tmp_path_factory.mktemp("site") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def lived_in_site(tmp_path_factory) -> Iterator[Site]:
    """With rules, sessions and jobs of some months."""
    folder = tmp_path_factory.mktemp("lived-in") / "data"
    environment = os.environ | {"NOKORI_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "nokori_site.settings"}
    subprocess.run([sys.executable, "-m", "tests.browser.filling"], env=environment, cwd=ROOT, check=True, timeout=60)
    with served(folder) as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Of one module: while it is there, Django takes this thread for one that runs an event loop, and refuses the database."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed; .ci/run installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@contextmanager
def opened(chromium: Browser, site: Site, *, may_complain: bool = False, **options) -> Iterator[Page]:
    """A page of a browser that was let in; whatever the console calls an error fails the test, unless it may."""
    context = chromium.new_context(locale="en-US", viewport=DESKTOP, **options)
    page = context.new_page()
    page.goto(f"{site.address}/enter/")
    page.get_by_label("Or paste the token").fill(site.token)
    page.get_by_role("button", name="Open").click()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert may_complain or complaints == []


@pytest.fixture
def page(chromium, site) -> Iterator[Page]:
    with opened(chromium, site) as browser_page:
        yield browser_page


@pytest.fixture
def lived_in_page(chromium, lived_in_site) -> Iterator[Page]:
    with opened(chromium, lived_in_site) as browser_page:
        yield browser_page
