"""Every page as it is seen: themes, languages, a phone's width, the keyboard, and what a screen reader meets."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, opened

PAGES = (
    "/",
    "/?period=24h",
    "/?period=30d",
    "/rules/",
    "/rules/?status=active&text=the",
    "/rules/add/",
    "/rules/a3f2b1/",
    "/rules/a3f2b1/edit/",
    "/review/",
    "/lifecycle/",
    "/retrieve/",
    "/injections/",
    "/extract/",
    "/config/",
    "/logs/",
)
ADMIN = ("/admin/", "/admin/rules/rule/", "/admin/rules/injection/", "/admin/rules/rule/add/")
SERIOUS = ("serious", "critical")
LANGUAGES = {"简": "规则", "繁": "規則", "日本語": "ルール"}


def findings(page):
    """What axe-core calls serious, with the place."""
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url} {rule['id']}: {node['target']} {node['failureSummary'][:200]}"
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("site_name", ["site", "lived_in_site"])
def test_no_page_keeps_anybody_out(chromium, request, site_name, theme):
    site = request.getfixturevalue(site_name)
    pages = PAGES if site_name == "lived_in_site" else [path for path in PAGES if "a3f2b1" not in path]
    problems = []

    with opened(chromium, site, may_complain=True, reduced_motion="reduce") as page:  # axe tries inline styles
        page.context.add_cookies([{"name": "nokori_theme", "value": theme, "url": site.address}])
        for path in (*pages, *ADMIN):
            page.goto(site.address + path)
            problems += findings(page)

    assert problems == []


def test_a_phone_shows_every_page_without_scrolling_sideways(chromium, lived_in_site):
    too_wide = []

    with opened(chromium, lived_in_site, reduced_motion="reduce") as page:
        page.set_viewport_size(PHONE)
        for path in PAGES:
            page.goto(lived_in_site.address + path)
            if page.evaluate("document.documentElement.scrollWidth") > PHONE["width"]:
                too_wide.append(path)

    assert too_wide == []


def test_no_page_complains_in_the_console(lived_in_page, lived_in_site):
    answers = [lived_in_page.goto(lived_in_site.address + path) for path in (*PAGES, *ADMIN)]

    assert [answer.url for answer in answers if answer and not answer.ok] == []


def test_the_theme_switches_at_once_and_stays(page, site):
    page.goto(site.address)
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.wait_for_load_state("networkidle")

    page.goto(f"{site.address}/rules/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(f"{site.address}/admin/")

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert paper == "rgb(21, 22, 24)"


def test_the_system_chooses_the_theme_until_somebody_does(chromium, site):
    with opened(chromium, site, color_scheme="dark") as page:
        page.goto(site.address)

        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(236, 232, 224)"


@pytest.mark.parametrize(("button", "rules"), LANGUAGES.items())
def test_the_language_switches_and_stays(page, site, button, rules):
    page.goto(site.address)
    page.get_by_role("button", name=button, exact=True).click()
    page.goto(f"{site.address}/review/")

    expect(page.get_by_role("link", name=rules, exact=True)).to_be_visible()
    page.get_by_role("button", name="EN", exact=True).click()
    expect(page.get_by_role("link", name="Rules", exact=True)).to_be_visible()


def test_the_keyboard_reaches_everything_and_shows_where_it_is(page, site):
    page.goto(site.address)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the page")).to_be_in_viewport()
    outlines = []
    for _ in range(12):
        page.keyboard.press("Tab")
        outlines.append(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))

    assert set(outlines) == {"solid"}


def test_a_slash_leads_to_the_prompt_box(page, site):
    page.goto(site.address)
    page.keyboard.press("/")

    expect(page).to_have_url(re.compile("/retrieve/$"))


def test_nothing_moves_for_somebody_who_asked_for_stillness(chromium, lived_in_site):
    with opened(chromium, lived_in_site, reduced_motion="reduce") as page:
        page.goto(lived_in_site.address)

        assert page.evaluate("document.getAnimations().length") == 0
