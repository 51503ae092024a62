"""Retrieve, Logs, Config and Extract in the browser: an explanation while one types, lines as they are written."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import served


def write(site, *words, name="hook", level="INFO"):
    logs = site.folder / "logs"
    logs.mkdir(exist_ok=True)
    with (logs / f"{name}.log").open("a", encoding="utf-8") as file:
        file.writelines(f"2026-11-30T10:00:00Z {level} {name} [s] {word}\n" for word in words)


@pytest.fixture
def log_page(page, site):
    """The log page, with its stream open."""
    page.goto(f"{site.address}/logs/")
    expect(page.locator("#state")).to_have_text("live")
    return page


def line(page, word):
    return page.locator("#lines .words", has_text=word)


def test_retrieve_explains_while_one_types(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/retrieve/")
    page.get_by_label("Prompt").press_sequentially("I am force pushing to a shared branch")

    expect(page.locator(".injected")).to_contain_text("[HOT a3f2b1]")
    first = page.locator(".ranked-hit").first
    expect(first.locator(".pill")).to_have_text("hot")
    expect(first.locator(".evidence .mark")).to_have_count(1)
    expect(page.locator(".ranked-hit .token", has_text="force").first).to_be_visible()


def test_retrieve_follows_the_chosen_project(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/retrieve/?prompt=run+the+migration+before+the+tests")
    pool = page.locator(".strip .value").first
    page.get_by_label("Project").select_option("")
    expect(page.locator("#answer")).to_have_attribute("aria-busy", "false")
    without = pool.inner_text()
    page.get_by_label("Project").select_option(label="web")

    expect(pool).not_to_have_text(without)


def test_a_line_arrives_as_it_is_written(log_page, site):
    write(site, "first-light")

    expect(line(log_page, "first-light")).to_be_visible()


def test_the_admin_shows_the_newest_lines_in_words(page, site):
    page.goto(f"{site.address}/admin/")
    write(site, "seen-by-the-admin")

    expect(page.locator("#log-lines li.info", has_text="seen-by-the-admin")).to_be_visible()
    expect(page.locator("#log-lines li", has_text="undefined")).to_have_count(0)


def test_a_pause_counts_what_waits_and_shows_it_afterwards(log_page, site):
    log_page.keyboard.press("p")
    write(site, "while-paused-1", "while-paused-2", "while-paused-3")

    expect(log_page.locator("#waiting")).to_have_text("3")
    expect(line(log_page, "while-paused")).to_have_count(0)
    log_page.get_by_role("button", name="Go on").click()
    expect(line(log_page, "while-paused")).to_have_count(3)
    expect(log_page.locator("#waiting")).to_be_hidden()


def test_lines_are_filtered_by_level_file_and_words(log_page, site):
    write(site, "calm-one")
    write(site, "loud-one", level="ERROR", name="settle")
    expect(line(log_page, "loud-one")).to_be_visible()

    log_page.locator("[data-level=info].chip").click()
    expect(line(log_page, "calm-one")).to_be_hidden()
    log_page.locator("[data-level=info].chip").click()
    log_page.locator("[data-source=settle].chip").click()
    expect(line(log_page, "loud-one")).to_be_hidden()
    log_page.locator("[data-source=settle].chip").click()
    log_page.get_by_label("only lines that contain").fill("loud")
    expect(line(log_page, "calm-one")).to_be_hidden()
    expect(line(log_page, "loud-one")).to_be_visible()


def test_scrolling_up_ends_the_following_and_a_button_takes_it_up_again(log_page, site):
    write(site, *(f"many-{number}" for number in range(200)))
    expect(line(log_page, "many-199")).to_be_in_viewport()
    log_page.locator("#terminal").hover()
    log_page.mouse.wheel(0, -2000)
    write(site, "below-the-edge")

    expect(line(log_page, "below-the-edge")).to_have_count(1)
    expect(line(log_page, "below-the-edge")).not_to_be_in_viewport()
    log_page.get_by_role("button", name="To the newest").click()
    expect(line(log_page, "below-the-edge")).to_be_in_viewport()


def test_the_stream_is_taken_up_again_after_a_restart(chromium, tmp_path):
    folder = tmp_path / "data"
    context = chromium.new_context(locale="en-US")
    page = context.new_page()
    with served(folder) as site:
        page.goto(site.link)
        page.goto(f"{site.address}/logs/")
        write(site, "before-the-end")
        expect(line(page, "before-the-end")).to_be_visible()
    expect(page.locator("#state")).to_have_text("reconnecting")

    with served(folder) as site:
        write(site, "after-the-restart")
        expect(line(page, "after-the-restart")).to_be_visible(timeout=15_000)
        expect(page.locator("#state")).to_have_text("live")
        context.close()


def test_a_setting_is_edited_and_the_comments_of_the_file_stay(page, site):
    file = site.folder / "config.toml"
    file.write_text("# mine\n[gate]\nttl_seconds = 300  # five minutes\n", encoding="utf-8")
    page.goto(f"{site.address}/config/")
    page.get_by_label("Edit ttl_seconds").click()
    page.get_by_label("ttl_seconds", exact=True).fill("60")
    page.get_by_role("button", name="Save").locator("visible=true").click()

    expect(page.get_by_role("status")).to_contain_text("Saved gate_ttl_seconds.")
    expect(page.locator("#gate_ttl_seconds .now")).to_have_text("60")
    assert file.read_text(encoding="utf-8") == "# mine\n[gate]\nttl_seconds = 60  # five minutes\n"


def test_health_comes_after_the_page(page, site):
    page.goto(f"{site.address}/config/")

    expect(page.locator("#health")).to_contain_text("manage.py install")


def test_a_job_that_was_given_up_is_tried_again(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/extract/?status=dead")
    page.get_by_role("button", name="Try again").first.click()

    expect(page.get_by_role("status")).to_contain_text(re.compile(r"Job \d+ waits again\."))


def test_a_session_is_opened_from_the_timeline(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/injections/")
    page.locator(".prompt a", has_text="session").first.click()

    expect(page.get_by_role("heading", name="Prompt by prompt")).to_be_visible()
