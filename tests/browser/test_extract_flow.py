"""An extraction from the page: the real extractor in the background, and a model that answers over HTTP."""

import json
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MANAGE, opened, served
from tests.extraction.chat_server import completion, failure, serving
from tests.extraction.transcripts import said, typed, write_transcript
from tests.fakes import worded_rule

KEY = "sk-llm-0123456789abcdef0123456789"
QUOTE = "Never force-push to main; use --force-with-lease"
FOUND = completion(json.dumps({"rules": [worded_rule(quote=QUOTE, confidence="medium")]}))
REFUSED = failure(400, words=f"the context is too long, {KEY}")
SOON = 60_000  # ms
PATIENCE_SECONDS = 60


@contextmanager
def site_with(server, folder):
    """`web` with one session that has ended, and a model to ask."""
    model = {"NOKORI_LLM_BASE_URL": server.url, "NOKORI_LLM_MODEL": "small", "NOKORI_LLM_API_KEY": KEY}
    with served(folder / "data", NOKORI_NO_SPAWN="0", NOKORI_EMBED_BACKEND="none", **model) as site:
        path = write_transcript(
            folder / ".claude" / "projects" / "shop" / "s1.jsonl",
            typed("Push it", cwd=str(folder)),
            said("Forcing."),
            typed(f"No! {QUOTE}."),
        )
        ended = {"session_id": "s1", "transcript_path": path, "cwd": str(folder), "reason": "other"}
        hook = [sys.executable, "-I", "-S", str(MANAGE), "hook", "session-end"]
        subprocess.run(hook, input=json.dumps(ended).encode(), env=site.environment, check=True, timeout=60)
        yield site


def wait_for_the_job(page, site):
    """The page's own process files what the hook left, within a second or two."""
    page.goto(f"{site.address}/extract/")
    for _ in range(20):
        if page.locator(".job").count():
            return
        page.wait_for_timeout(500)
        page.reload()
    pytest.fail("the session that ended made no job")


def test_a_run_is_followed_to_its_end_and_what_it_found_waits_for_review(chromium, tmp_path):
    is_seen = threading.Event()

    def once_the_page_shows_it(_):
        is_seen.wait(PATIENCE_SECONDS)
        return FOUND

    with serving(once_the_page_shows_it) as server, site_with(server, tmp_path) as site, opened(chromium, site) as page:
        wait_for_the_job(page, site)
        page.get_by_role("button", name="Run now").click()

        expect(page.get_by_role("status")).to_contain_text("Started; this page follows it.")
        expect(page.locator(".panel.now")).to_contain_text("0 of 1 jobs", timeout=SOON)
        is_seen.set()
        expect(page.locator(".job .pill")).to_have_text("done", timeout=SOON)
        expect(page.locator(".job")).to_contain_text("1 candidate, 1 became rules")

        page.goto(f"{site.address}/review/")
        expect(page.locator("main")).to_contain_text(QUOTE)


def test_a_model_that_refuses_is_told_in_full_and_the_job_is_tried_again(chromium, tmp_path):
    refuses = [True]
    with (
        serving(lambda _: REFUSED if refuses[0] else FOUND) as server,
        site_with(server, tmp_path) as site,
        opened(chromium, site) as page,
    ):
        wait_for_the_job(page, site)
        for attempts in ("1 attempt", "2 attempts", "3 attempts"):
            page.get_by_role("button", name="Run now").click()
            expect(page.locator(".job")).to_contain_text(attempts, timeout=SOON)
        expect(page.locator(".job .error")).to_contain_text("The endpoint refused the request (HTTP 400)")
        expect(page.locator(".job .pill")).to_have_text("dead", timeout=SOON)
        assert KEY not in page.content()

        refuses[0] = False
        page.locator(".job").get_by_role("button", name="Try again").click()
        expect(page.get_by_role("status")).to_contain_text("waits again.")
        page.get_by_role("button", name="Run now").click()

        expect(page.locator(".job .pill")).to_have_text("done", timeout=SOON)
