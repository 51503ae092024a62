from collections import Counter
from datetime import timedelta

import pytest

from rules.columns_of_time import count_in_database, count_moments
from rules.models import Injection
from tests.factories import NOW, make_rule

HOUR = timedelta(hours=1)
BOUNDS = [NOW - 2 * HOUR, NOW - HOUR, NOW]
MOMENTS = [
    (NOW - 3 * HOUR, "hot"),
    (NOW - 2 * HOUR, "hot"),
    (NOW - HOUR - timedelta(microseconds=1), "warm"),
    (NOW - HOUR, "warm"),
    (NOW + 5 * HOUR, "hot"),
    (NOW + 5 * HOUR, "hot"),
]
COUNTS: list[Counter[str]] = [Counter(hot=1, warm=1), Counter(warm=1), Counter(hot=2)]


def test_moments_are_counted_in_the_stretch_that_they_fall_in():
    assert count_moments(MOMENTS, BOUNDS) == COUNTS


@pytest.mark.django_db
def test_the_database_counts_the_same_in_one_query(django_assert_num_queries):
    rule = make_rule()
    Injection.objects.bulk_create(
        Injection(rule=rule, session_id="s", level=level, at=at, note_id=f"n{number}")
        for number, (at, level) in enumerate(MOMENTS)
    )

    with django_assert_num_queries(1):
        counts = count_in_database(Injection.objects.all(), by="level", words=["hot", "warm"], bounds=BOUNDS)

    assert counts == COUNTS
