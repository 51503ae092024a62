"""The first visit: the link opens the browser that follows it, and nothing else does."""

from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP


def test_the_link_opens_the_browser_that_follows_it_first(chromium, site):
    first, second = (chromium.new_context(viewport=DESKTOP).new_page() for _ in range(2))

    first.goto(site.link)
    second.goto(site.link)

    expect(first.get_by_role("heading", name="Dashboard", level=1)).to_be_visible()
    assert first.url == f"{site.address}/"
    expect(second.get_by_role("heading", name="This link was used before")).to_be_visible()
    first.context.close()
    second.context.close()


def test_without_the_link_no_page_shows_anything(chromium, site):
    visitor = chromium.new_context().new_page()

    answers = [visitor.goto(site.address + path) for path in ("/", "/rules/", "/admin/", "/logs/", "/api/rules")]

    assert [answer.status for answer in answers if answer] == [401] * 5
    assert visitor.goto(site.address) is not None
    expect(visitor.get_by_text("manage.py web")).to_be_visible()
    expect(visitor.get_by_role("navigation")).to_have_count(0)
    visitor.context.close()


def test_the_cookie_opens_the_admin_without_a_password(page, site):
    page.goto(f"{site.address}/admin/")

    expect(page.get_by_role("heading", name="Site administration")).to_be_visible()


def test_an_empty_house_teaches_the_first_step(page, site):
    page.goto(f"{site.address}/rules/")

    expect(page.get_by_text("There is no rule yet.")).to_be_visible()
    expect(page.locator(".empty").get_by_role("link", name="Add rule")).to_be_visible()
