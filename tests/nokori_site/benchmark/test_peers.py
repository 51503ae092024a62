"""The peers of our search: each builds, opens, finds and updates, and a table row comes of it."""

import pytest

from nokori_site.benchmark.peer_engines import ENGINES
from nokori_site.benchmark.peer_process import measure
from nokori_site.benchmark.peers import measure_peers

TEXTS = [f"zorb{number} quux{number} frobnicate the widget" for number in range(40)]
FIGURES = {"query ms", "query p95", "open ms", "memory MB", "update ms"}


@pytest.fixture(params=ENGINES)
def engine(request, tmp_path):
    return ENGINES[request.param](tmp_path)


def test_an_engine_finds_what_it_was_given_and_what_was_changed_since(engine):
    engine.build(TEXTS)
    engine.open()

    assert engine.query("zorb7 quux7")
    engine.update("plover xyzzy twisty passage")
    assert engine.query("plover xyzzy")


def test_every_figure_is_measured(engine):
    figures = measure(engine, TEXTS, runs=2)

    assert set(figures) == FIGURES
    assert all(figures[name] > 0 for name in FIGURES - {"memory MB"})


def test_each_engine_has_a_row_from_a_process_of_its_own(tmp_path):
    rows = measure_peers(tmp_path, rule_count=50, runs=1)

    assert [row.case for row in rows] == list(ENGINES)
    assert all(set(row.figures) == FIGURES for row in rows)
