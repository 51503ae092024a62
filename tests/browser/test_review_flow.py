"""Candidates in the browser: three keys decide, and a rejection can be taken back."""

import re

from playwright.sync_api import expect


def test_the_key_a_accepts_and_the_next_candidate_follows(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/review/")
    name = page.locator("code").last.inner_text()
    page.keyboard.press("a")

    expect(page.get_by_role("status")).to_contain_text(f"{name} is in use.")
    expect(page).to_have_url(re.compile(r"/review/[0-9a-f]+/$"))
    assert name in lived_in_site.manage("list")


def test_a_rejection_is_taken_back(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/review/")
    name = page.locator("code").last.inner_text()
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text(f"Rejected {name}.")
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_role("status")).to_contain_text(f"Taken back: {name}.")
    page.goto(f"{lived_in_site.address}/rules/{name}/")
    expect(page.locator(".heading-id .pill")).to_have_text("candidate")


def test_the_key_e_edits_and_saving_accepts(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/review/")
    page.keyboard.press("e")
    page.get_by_label("What to do then", exact=True).fill("Better words than the model found")
    page.get_by_role("button", name="Save and put in use").click()

    expect(page.get_by_role("status")).to_contain_text("is in use.")
    assert "Better words than the model found" in lived_in_site.manage("list")
