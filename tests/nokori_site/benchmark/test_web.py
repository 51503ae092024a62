"""No page gets slow or asks more with what years leave behind; the benchmark measures it with more of everything."""

import pytest

from nokori_site.benchmark import web
from nokori_site.benchmark.lived_in import Life
from nokori_site.benchmark.watched import Watched
from nokori_site.benchmark.web import QUERIES, SLOWER, life_of, measure_pages
from retrieval.publish import publish_all


@pytest.mark.django_db(transaction=True)
def test_every_page_stays_within_its_bounds(data_folder):
    publish_all(calibrate=False)

    rows = measure_pages(Life(rules=400, injections=4_000, jobs=200, sessions=40), timings=3)

    assert {row.case for row in rows} >= set(web.PAGES)
    assert [(row.case, row.figures) for row in rows if row.figures["queries"] > QUERIES] == []
    assert [(row.case, row.figures) for row in rows if row.figures["times"] > SLOWER] == []


def test_the_full_size_is_that_of_the_promise():
    assert life_of(10_000) == Life(rules=10_000, injections=200_000, jobs=5_000, sessions=1_000)


@pytest.mark.django_db
def test_a_page_that_does_not_answer_is_not_measured(data_folder, monkeypatch):
    monkeypatch.setattr(web, "PAGES", ("/nowhere/",))

    with pytest.raises(web.PageNotMeasuredError, match="status 404"):
        measure_pages(Life(), timings=1)


def test_a_watched_page_adds_up_lines_lags_and_what_was_missed():
    watched = Watched()

    watched.take({"missed": 3, "lines": [["", "info", "x", "[s] n7 at 100.0"], ["", "info", "y", "else"]]}, now=100.25)

    assert (watched.lines, watched.missed, watched.lags) == (1, 3, [0.25])
