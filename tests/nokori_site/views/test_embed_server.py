import time

import pytest

from retrieval.embeddings.singleton import is_server_there

pytestmark = pytest.mark.django_db


def test_the_dashboard_says_that_no_server_runs_and_offers_to_start_one(pages):
    page = pages.get("/").content.decode()

    assert "Matching by meaning" in page
    assert "not running" in page


def test_where_no_process_may_be_started_the_page_says_so(pages, data_folder):
    response = pages.post("/embed-server/", {"do": "start"}, follow=True)

    assert "NOKORI_NO_SPAWN is set" in response.content.decode()
    assert not is_server_there(data_folder)


def test_stopping_what_does_not_run_is_no_mistake(pages):
    response = pages.post("/embed-server/", {"do": "stop"}, follow=True)

    assert "No embed server runs." in response.content.decode()


def test_a_look_changes_nothing(pages):
    assert pages.get("/embed-server/").status_code == 405


@pytest.mark.parametrize(
    ("seconds_ago", "is_awaited"),
    [
        pytest.param("0", True, id="just started"),
        pytest.param("60", False, id="a page that is loaded again"),
        pytest.param("-60", False, id="a clock that went back"),
        pytest.param("", False, id="nobody"),
        pytest.param("soon", False, id="nonsense"),
    ],
)
def test_a_server_is_awaited_for_a_moment_after_its_start(pages, seconds_ago, is_awaited):
    since = str(int(time.time()) - int(seconds_ago)) if seconds_ago.lstrip("-").isdecimal() else seconds_ago

    page = pages.get("/", {"awaited": since}).content.decode()

    assert ('id="embed-server" data-refresh' in page) == is_awaited
