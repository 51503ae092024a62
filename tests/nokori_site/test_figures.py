from datetime import timedelta

import pytest
from django.template import Context, Template

from nokori_site.templatetags.figures import count, duration, milliseconds, project, relative, score, size, word
from tests.factories import NOW


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=2), "2 min ago"),
        (timedelta(hours=5), "5 h ago"),
        (timedelta(days=1), "yesterday"),
        (timedelta(days=9), "9 days ago"),
        (timedelta(days=40), ""),
    ],
)
def test_times_are_relative(age, words):
    assert relative(age) == words


def test_the_exact_time_shows_on_hover():
    text = Template("{% load figures %}{% ago moment %}").render(
        Context({"moment": NOW, "now": NOW + timedelta(hours=2)})
    )

    assert "2 h ago</time>" in text
    assert 'datetime="2026-11-30T' in text
    assert 'title="Nov. 30, 2026' in text


def test_what_never_happened_is_a_dash():
    assert Template("{% load figures %}{% ago moment %}").render(Context({"moment": None})) == "\N{EN DASH}"


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (1234567, "1,234,567"), (None, "\N{EN DASH}")])
def test_thousands_stand_apart(number, text):
    assert count(number) == text


@pytest.mark.parametrize(("number", "text"), [(0.42, "0.4"), (41.7, "42"), (1500.0, "1,500"), (None, "\N{EN DASH}")])
def test_milliseconds_are_as_exact_as_they_need_be(number, text):
    assert milliseconds(number) == text


@pytest.mark.parametrize(("number", "text"), [(900, "900 B"), (31_900, "31 KB"), (3_400_000, "3.2 MB")])
def test_sizes_have_units(number, text):
    assert size(number) == text


@pytest.mark.parametrize(
    ("project_id", "name"),
    [("billing-api-1f0c9a3e", "billing-api"), ("billing-api", "billing-api"), ("/home/you/x", "/home/you/x"), ("", "")],
)
def test_a_project_is_called_by_its_folder(project_id, name):
    assert project(project_id) == name


@pytest.mark.parametrize(
    ("span", "text"),
    [(timedelta(days=7), "7 days"), (timedelta(hours=1), "1 hour"), (timedelta(minutes=10), "10 minutes")],
)
def test_durations_are_round(span, text):
    assert duration(span) == text


@pytest.mark.parametrize(("value", "text"), [("active", "active"), ("anti_pattern", "anti pattern"), ("", "")])
def test_a_word_of_the_glossary_is_readable(value, text):
    assert word(value) == text


@pytest.mark.parametrize(("number", "text"), [(2.2876, "2.29"), (1.6149, "1.61"), (1, "1.00")])
def test_a_score_is_rounded_and_not_cut_off(number, text):
    assert score(number) == text
