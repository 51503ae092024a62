from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from rules.hourly import count_hourly
from rules.models import Injection
from tests.factories import make_rule

pytestmark = pytest.mark.django_db
EVENING = datetime(2026, 11, 30, 18, 20, tzinfo=UTC)


def show(rule, at, *, level="hot"):
    Injection.objects.create(rule=rule, session_id="s", level=level, at=at, note_id=f"{at}{level}")


@pytest.mark.parametrize(
    ("zone", "hour"),
    [("UTC", "2026-11-30 18"), ("Asia/Tokyo", "2026-12-01 03"), ("Asia/Kolkata", "2026-11-30 23")],
)
def test_rows_are_counted_by_the_hour_on_the_wall(zone, hour):
    show(make_rule(), EVENING)

    with timezone.override(ZoneInfo(zone)):
        counts = count_hourly(Injection.objects.all(), by="level", since=EVENING - timedelta(days=1))

    assert [(f"{key.hour:%Y-%m-%d %H}", key.word, number) for key, number in counts.items()] == [(hour, "hot", 1)]


def test_half_an_hour_beside_greenwich_splits_an_hour_where_it_is_split():
    rule = make_rule()
    show(rule, EVENING)  # 23:50 in Kolkata
    show(rule, EVENING + timedelta(minutes=15))  # 00:05

    with timezone.override(ZoneInfo("Asia/Kolkata")):
        counts = count_hourly(Injection.objects.all(), by="level", since=EVENING - timedelta(days=1))

    assert sorted(key.hour.day for key in counts) == [1, 30]


def test_words_are_counted_apart_and_older_rows_not_at_all():
    rule = make_rule()
    show(rule, EVENING, level="hot")
    show(rule, EVENING, level="warm")
    show(rule, EVENING - timedelta(days=3))

    counts = count_hourly(Injection.objects.all(), by="level", since=EVENING - timedelta(days=1))

    assert sorted((key.word, number) for key, number in counts.items()) == [("hot", 1), ("warm", 1)]
