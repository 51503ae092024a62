"""Reports of users of such tools about pages, logs and access, each as a test that has its name."""

from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client

from nokori_site import settings as shipped
from nokori_site.access import web_token
from nokori_site.finding import State
from nokori_site.logs import MAX_LOG_BYTES, OLD_LOGS_KEPT, append_line, rotate_logs
from nokori_site.management.commands.web import Command
from nokori_site.served_names import LOOPBACK
from tests.factories import NOW
from tests.nokori_site.test_health_embedding import READY, rows, write_more  # noqa: F401  rows is a fixture
from tests.retrieval.listener import listening

ONE_LINE = "x" * 60_000


@pytest.mark.django_db
def test_NB089_a_warning_goes_when_what_it_warns_of_is_gone(rows, data_folder):  # noqa: F811, N802
    with listening(data_folder, sends=READY | {"missing": 2}):
        write_more(data_folder, pid=7)
        before = rows()["embed index"][0]
    with listening(data_folder, sends=READY):
        write_more(data_folder, pid=7)
        after = rows()["embed index"][0]

    assert (before, after) == (State.WARN, State.OK)


def test_NB129_the_shipped_settings_name_this_machine_alone_and_show_no_traceback():  # noqa: N802
    assert shipped.DEBUG is False
    assert shipped.ALLOWED_HOSTS == ["127.0.0.1", "localhost", "[::1]"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/x/../api/rules", "/%2e%2e/api/rules", "//api/rules", "/static/../api/rules"])
def test_NB130_a_foreign_name_is_refused_whatever_the_path(data_folder, path):  # noqa: N802
    browser = Client(headers={"Authorization": f"Bearer {web_token(data_folder)}", "Host": "evil.example"})

    assert browser.get(path).status_code == 400


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/x/../api/rules", "/%2e%2e/api/rules", "/static/../api/rules"])
def test_NB130_a_trick_in_the_path_opens_nothing_without_the_cookie(data_folder, path):  # noqa: N802
    assert Client().get(path).status_code in (400, 401, 404)


def test_NB131_the_pages_are_served_to_this_machine_alone_unless_somebody_says_otherwise():  # noqa: N802
    options = Command().create_parser("manage.py", "web").parse_args([])

    assert options.host == LOOPBACK == "127.0.0.1"
    assert not [name for name in django_settings.MIDDLEWARE if "cors" in name.lower()]


def test_NB133_logs_stay_under_their_cap_however_much_is_written(data_folder):  # noqa: N802
    for _ in range(20):
        for _ in range(20):
            append_line(data_folder, "hook", ONE_LINE, now=NOW)
        rotate_logs(data_folder)

    total = sum(path.stat().st_size for path in Path(data_folder.logs).iterdir())
    assert total <= (OLD_LOGS_KEPT + 1) * (MAX_LOG_BYTES + 20 * len(ONE_LINE))
    assert len(list(Path(data_folder.logs).iterdir())) <= OLD_LOGS_KEPT + 1
