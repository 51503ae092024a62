"""The log page: the newest lines stand there even without a script; the script finds what it needs."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.django_db


def write(folder, name, text):
    Path(folder.logs).mkdir(parents=True, exist_ok=True)
    Path(folder.logs, name).write_text(text, encoding="utf-8")


def test_the_newest_lines_of_all_files_stand_in_the_order_of_time(pages, data_folder):
    write(data_folder, "hook.log", "2026-11-30T10:00:02Z INFO hook [s] second\n")
    write(data_folder, "settle.log", "2026-11-30T10:00:01Z WARNING settle first\n")

    page = pages.get("/logs/").content.decode()

    assert page.index("first") < page.index("second")
    assert 'data-level="warn" data-source="settle"' in page


def test_a_secret_or_a_tag_in_a_line_does_no_harm(pages, data_folder):
    key = "sk-ant-" + "a1B2c3D4e5F6g7H8" * 6
    write(data_folder, "hook.log", f"2026-11-30T10:00:02Z INFO hook <script>alert(1)</script> {key}\n")

    page = pages.get("/logs/").content.decode()

    assert "<script>alert" not in page
    assert key not in page


def test_without_lines_the_page_says_how_to_get_some(pages):
    assert "log_level = &quot;info&quot;" in pages.get("/logs/").content.decode()
