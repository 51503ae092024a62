import json
import os
import stat
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from nokori_site.access import links, web_token
from nokori_site.middleware import MAX_BODY_BYTES

pytestmark = pytest.mark.django_db
CLOSED = ["/", "/admin/", "/admin/login/", "/admin/jsi18n/", "/theme/", "/language/", "/nowhere/"]


def fresh_link():
    return links.issue("")


def bearer(token=None):
    return {"Authorization": f"Bearer {token or web_token(settings.NOKORI_FOLDER)}"}


@pytest.mark.parametrize("path", CLOSED)
def test_no_page_opens_without_the_cookie(path):
    response = Client().get(path)

    assert response.status_code == 401
    assert "manage.py web" in response.content.decode()


def test_a_refusal_below_the_api_is_a_problem_as_json():
    response = Client().get("/api/rules")

    assert response.headers["Content-Type"] == "application/problem+json"
    assert json.loads(response.content)["status"] == 401


def test_the_link_opens_pages_and_admin():
    browser = Client()

    response = browser.get(fresh_link(), follow=True)

    assert response.redirect_chain == [("/", 302)]
    assert (response.status_code, browser.get("/admin/").status_code) == (200, 200)


def test_the_link_opens_one_browser_once():
    link = fresh_link()
    Client().get(link)

    second = Client()

    assert second.get(link).status_code == 403
    assert second.get("/").status_code == 401


@pytest.mark.parametrize("token", ["", "wrong", "x" * 300, "é"])
def test_a_wrong_token_opens_nothing(token):
    browser = Client()

    response = browser.post("/enter/", {"token": token})

    assert response.status_code == 403
    assert browser.get("/").status_code == 401


@pytest.mark.parametrize("name", ["token", "once"])
def test_the_token_in_an_address_opens_nothing(name):
    """Browsers keep addresses, and servers write them down."""
    browser = Client()

    browser.get("/enter/", {name: web_token(settings.NOKORI_FOLDER)})

    assert browser.get("/").status_code == 401


def test_the_token_is_not_in_a_link():
    assert web_token(settings.NOKORI_FOLDER) not in fresh_link()


def test_a_token_that_is_typed_in_opens_the_pages():
    browser = Client()

    browser.post("/enter/", {"token": web_token(settings.NOKORI_FOLDER)})

    assert browser.get("/").status_code == 200


def test_a_new_token_ends_every_cookie(pages):
    Path(settings.NOKORI_FOLDER.web_token).unlink()

    assert pages.get("/").status_code == 401


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such mode")
def test_the_token_is_readable_for_its_owner_alone(data_folder):
    web_token(data_folder)

    assert stat.S_IMODE(Path(data_folder.web_token).stat().st_mode) == 0o600


def test_a_token_stays_the_same(data_folder):
    assert web_token(data_folder) == web_token(data_folder)


def test_a_bearer_opens_what_the_cookie_opens():
    assert Client().get("/", headers=bearer()).status_code == 200


@pytest.mark.parametrize("token", ["wrong", "x" * 300])
def test_a_wrong_bearer_opens_nothing(token):
    assert Client().get("/", headers=bearer(token)).status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "[::2]", "10.0.0.1"]
)
def test_a_foreign_name_is_refused(pages, host):
    assert pages.get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Origin": "http://evil.example"}, id="another site"),
        pytest.param({"Origin": "http://testserver:3000"}, id="another port"),
        pytest.param({"Origin": "https://testserver"}, id="another scheme"),
        pytest.param({"Origin": "null"}, id="a sandbox"),
        pytest.param({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, id="a picture on another site"),
        pytest.param({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, id="a script on another port"),
    ],
)
def test_what_another_site_sends_is_refused(pages, headers):
    assert pages.get("/", headers=headers).status_code == 403


def test_a_link_on_another_site_may_lead_here(pages):
    response = pages.get("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})

    assert response.status_code == 200


def test_a_form_on_another_site_is_refused(pages):
    response = pages.post(
        "/theme/", {"theme": "dark"}, headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    )

    assert response.status_code == 403


def test_a_write_without_the_csrf_token_is_refused():
    strict = Client(enforce_csrf_checks=True)
    strict.get(fresh_link())

    response = strict.post("/theme/", {"theme": "dark"})

    assert response.status_code == 403
    assert "This form is too old" in response.content.decode()
    assert "nokori_theme" not in response.cookies


def test_a_write_with_a_bearer_needs_no_csrf_token():
    response = Client(enforce_csrf_checks=True).post("/theme/", {"theme": "dark"}, headers=bearer())

    assert response.cookies["nokori_theme"].value == "dark"


@pytest.mark.parametrize(
    "path",
    [
        "/%2e%2e/settings.py",
        "/static/%2e%2e/settings.py",
        "/static/../settings.py",
        "/static/nokori/..%2f..%2fsettings.py",
        "/static//etc/passwd",
        "//etc/passwd",
        "/static/nokori/base.css%00.html",
    ],
)
def test_a_path_leads_to_no_file_but_our_own(pages, path):
    response = pages.get(path)

    assert response.status_code == 404
    assert b"SECRET_KEY" not in response.content


def test_a_huge_body_is_refused_unread(pages):
    response = pages.post(
        "/theme/", b"x", content_type="text/plain", headers={"Content-Length": str(MAX_BODY_BYTES + 1)}
    )

    assert response.status_code == 413


@pytest.mark.parametrize("path", ["/", "/static/nokori/base.css", "/nowhere/", "/admin/"])
def test_every_answer_forbids_what_is_not_ours(pages, path):
    response = pages.get(path)
    response.close()  # a file

    headers = response.headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_page_is_kept_in_no_cache(pages):
    assert pages.get("/").headers["Cache-Control"] == "no-store"


def test_the_cookie_is_out_of_the_reach_of_scripts():
    crumb = Client().get(fresh_link()).cookies["nokori_session"]

    assert (crumb["httponly"], crumb["samesite"]) == (True, "Lax")


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_the_way_back_never_leads_away(pages, target):
    response = pages.post("/theme/", {"theme": "dark", "next": target})

    assert response.headers["Location"] == "/"
