"""The embed server from the dashboard: started, seen running, stopped."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import opened, served


@pytest.fixture
def site_that_starts_processes(tmp_path):
    with served(tmp_path / "data", NOKORI_NO_SPAWN="0", NOKORI_EMBED_SERVER_AUTO_START="0") as running:
        yield running
        running.manage("embed", "stop")


def test_the_embed_server_starts_and_stops(chromium, site_that_starts_processes):
    site = site_that_starts_processes
    with opened(chromium, site) as page:
        page.goto(site.address)
        row = page.locator("#embed-server")
        row.get_by_role("button", name="Start").click()
        expect(row).to_contain_text("running", timeout=60_000)
        expect(row).not_to_contain_text("not running", timeout=60_000)

        row.get_by_role("button", name="Stop").click()

        expect(page.get_by_role("status")).to_contain_text("The embed server has ended.")
        expect(row).to_contain_text("not running")
