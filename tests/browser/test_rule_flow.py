"""A rule by hand in the browser: added, edited, dismissed, taken back, searched for."""

import re

from playwright.sync_api import expect


def test_a_rule_is_added_edited_dismissed_and_taken_back(page, site):
    page.goto(f"{site.address}/rules/")
    page.get_by_role("link", name=re.compile("^Add rule n")).click()
    page.get_by_label("When", exact=True).fill("Force pushing to a shared branch")
    page.get_by_label("What to do then", exact=True).fill("Use --force-with-lease")
    page.get_by_label("Other words for it", exact=True).fill("git push -f\ngit push --force")
    page.get_by_role("button", name="Add rule").click()
    expect(page.get_by_text("Use --force-with-lease")).to_be_visible()
    expect(page.locator(".heading-id .pill")).to_have_text("active")

    page.get_by_role("link", name="Edit").click()
    page.get_by_label("What to do then", exact=True).fill("Push to a new branch")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Push to a new branch")).to_be_visible()

    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".heading-id .pill")).to_have_text("archived")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Taken back")

    page.get_by_role("link", name="Force pushing to a shared branch").click()
    expect(page.locator(".heading-id .pill")).to_have_text("active")
    expect(page.locator(".timeline")).to_contain_text("dismissal taken back")
    assert "Push to a new branch" in site.manage("list")


def test_a_mistake_stands_beside_its_field(page, site):
    page.goto(f"{site.address}/rules/add/")
    page.get_by_label("When", exact=True).fill("Pushing")
    page.get_by_label("What to do then", exact=True).fill("Wait")
    page.get_by_label("Tool pattern", exact=True).fill("(")
    page.get_by_role("button", name="Add rule").click()

    expect(page.locator(".field", has_text="Tool pattern").locator(".errorlist")).to_contain_text("regular expression")
    expect(page.get_by_label("When", exact=True)).to_have_value("Pushing")


def test_the_list_narrows_while_one_types(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/rules/")
    page.keyboard.press("/")
    page.keyboard.type("idempotency")

    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody")).to_contain_text("Retrying a payment request")
    expect(page).to_have_url(re.compile(r"\?text=idempotency$"))
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_many_rules_are_laid_to_rest_at_once(lived_in_page, lived_in_site):
    page = lived_in_page
    page.goto(f"{lived_in_site.address}/rules/?status=active&text=spring")
    count = page.locator("tbody tr").count()
    page.get_by_label("Choose all on this page").check()
    page.get_by_role("button", name="Lay to rest").click()

    expect(page.get_by_role("status")).to_contain_text("laid to rest")
    expect(page.locator("tbody tr")).to_have_count(0)
    assert count >= 1
