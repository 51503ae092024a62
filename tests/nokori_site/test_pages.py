"""Every page with months of use behind it, and with none: it opens, and asks the database only so often."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from nokori_site.benchmark.lived_in import Life, live_in
from rules.models import MaintenanceRun, Rule, StatusChange
from tests.factories import make_rule

pytestmark = pytest.mark.django_db
MOST_QUERIES = 30  # of one page; issue "Figures"
PAGES = {
    "dashboard": "/",
    "a day": "/?period=24h",
    "a month": "/?period=30d",
    "rules": "/rules/",
    "search": "/rules/?text=the&status=active&sort=-hit_count",
    "add": "/rules/add/",
    "review": "/review/",
    "lifecycle": "/lifecycle/",
}


@pytest.fixture
def lived_in():
    live_in(Life(rules=80, injections=400, jobs=30, sessions=20), now=timezone.now())


def address(name):
    if name in PAGES:
        return PAGES[name]
    busiest = Rule.objects.order_by("-hit_count").first()
    return reverse(name, args=[busiest.short_id]) if busiest else ""


def count_queries(pages, name):
    with CaptureQueriesContext(connection) as queries:
        response = pages.get(address(name))
    assert response.status_code == 200
    return len(queries)


@pytest.mark.parametrize("name", [*PAGES, "rule", "rule-edit"])
def test_a_page_asks_the_database_at_most_so_often(pages, lived_in, name):
    assert count_queries(pages, name) <= MOST_QUERIES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_in_an_empty_house(pages, name):
    assert count_queries(pages, name) <= MOST_QUERIES


def test_the_dashboard_tells_what_happened(pages, lived_in):
    page = pages.get("/").content.decode()

    for words in ("Rules in use", "Shown per day", "Latest injections", "What the hooks cost", "1 failure in 24 h"):
        assert words in page


def test_an_empty_dashboard_teaches_the_first_steps(pages):
    page = pages.get("/").content.decode()

    assert page.count("manage.py install") >= 2
    assert "manage.py add --trigger" in page
    assert "manage.py extract" in page


def test_the_sidebar_counts_what_waits(pages):
    make_rule(status="candidate")

    assert ">1 waits</span>" in pages.get("/rules/").content.decode()


def test_lifecycle_shows_states_and_moves(pages):
    rule = make_rule()
    StatusChange.objects.create(
        rule=rule, from_status="candidate", to_status="active", why="", by="page", at=timezone.now()
    )

    page = pages.get("/lifecycle/").content.decode()

    assert "0 candidates, 1 active, 0 dormant, 0 merged, 0 archived" in page
    assert '<text x="231" y="140" text-anchor="middle">1</text>' in page


def test_maintenance_runs_when_it_is_told_to(pages, data_folder):
    MaintenanceRun.objects.create(scan="dormant", ran_at=timezone.now() - timedelta(days=1))

    response = pages.post("/lifecycle/run/", {"scan": "dormant"}, follow=True)

    assert "Done: nothing to change." in response.content.decode()
    assert MaintenanceRun.objects.filter(scan="dormant").count() == 2
    assert not MaintenanceRun.objects.filter(scan="candidates").exists()


def test_all_maintenance_runs_at_once(pages, data_folder):
    pages.post("/lifecycle/run/")

    assert MaintenanceRun.objects.filter(scan="candidates").exists()


def test_the_theme_is_kept_in_a_cookie(pages):
    pages.post("/theme/", {"theme": "dark", "next": "/rules/"})

    assert 'data-theme="dark"' in pages.get("/").content.decode()


def test_a_theme_that_does_not_exist_is_not_kept(pages):
    response = pages.post("/theme/", {"theme": '"><script>'})

    assert "nokori_theme" not in response.cookies


def test_the_language_is_kept_in_a_cookie(pages):
    pages.post("/language/", {"language": "ja", "next": "/"})

    assert '<html lang="ja"' in pages.get("/").content.decode()


def test_the_language_is_the_browsers_own_at_first(pages):
    page = pages.get("/", headers={"Accept-Language": "zh-TW,zh;q=0.9"}).content.decode()

    assert '<html lang="zh-hant"' in page
