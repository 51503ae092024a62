import logging
from pathlib import Path

from nokori_site.web_log import FileHandler
from tests.factories import NOW


def test_what_goes_wrong_in_a_page_is_one_line_of_its_log(data_folder):
    handler = FileHandler(data_folder, lambda: NOW)
    record = logging.LogRecord("django.request", logging.ERROR, "", 0, "Internal Server Error: %s", ("/rules/",), None)

    handler.handle(record)

    assert (
        Path(data_folder.logs, "web.log").read_text()
        == "2026-11-30T12:00:00Z ERROR web Internal Server Error: /rules/\n"
    )


def test_a_disk_that_refuses_takes_no_page_along(data_folder):
    Path(data_folder.root).mkdir(parents=True)
    Path(data_folder.logs).write_text("a file where the folder should be")

    FileHandler(data_folder, lambda: NOW).handle(logging.LogRecord("django", logging.ERROR, "", 0, "x", (), None))

    assert Path(data_folder.logs).is_file()
