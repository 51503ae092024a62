from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from hooks.models import GateDecision
from nokori_site.activity import PERIODS, activity
from rules.authoring import dismiss_rule
from rules.lifecycle import Mover
from rules.models import Injection
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


def show(*, ago, level="hot"):
    rule = make_rule()
    Injection.objects.create(rule=rule, session_id="s", level=level, at=NOW - ago, note_id=f"{ago}{level}")


@pytest.mark.parametrize(("name", "columns"), [("24h", 24), ("7d", 7), ("30d", 30)])
def test_a_period_has_its_columns_and_the_last_is_now(name, columns):
    show(ago=timedelta())

    told = activity(PERIODS[name], now=NOW).columns

    assert (len(told), told[-1].hot, sum(column.hot for column in told)) == (columns, 1, 1)


def test_injections_denials_and_dismissals_are_counted_where_they_happened():
    show(ago=timedelta(days=2))
    show(ago=timedelta(days=2), level="warm")
    show(ago=timedelta(days=12))
    for answer in ("deny", "passed", "expired"):
        GateDecision.objects.create(session_id="s", answer=answer, at=NOW, note_id=answer)
    dismiss_rule(make_rule(), by=Mover.CHAT, now=NOW)

    told = activity(PERIODS["7d"], now=NOW)

    assert (told.hot, told.warm, told.denied, told.retried, told.dismissed) == (1, 1, 1, 1, 1)
    assert (told.columns[-3].hot, told.columns[-3].warm, told.columns[-1].gate, told.columns[-1].dismissed) == (
        1,
        1,
        1,
        1,
    )


def test_what_maintenance_archives_is_no_dismissal():
    dismiss_rule(make_rule(), by=Mover.MAINTENANCE, now=NOW)

    assert activity(PERIODS["7d"], now=NOW).is_empty


def test_days_are_the_readers_days():
    late = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
    Injection.objects.create(rule=make_rule(), session_id="s", level="hot", at=late, note_id="n")

    with timezone.override(ZoneInfo("Asia/Tokyo")):
        told = activity(PERIODS["7d"], now=late + timedelta(hours=1))

    assert [column.hot for column in told.columns][-2:] == [0, 1]


def test_a_day_of_23_hours_is_a_column_like_any_other():
    with timezone.override(ZoneInfo("Europe/Berlin")):
        now = datetime(2026, 3, 30, 12, tzinfo=UTC)
        starts = PERIODS["7d"].starts(now)

    assert [f"{start:%d %H}" for start in starts][-3:] == ["28 00", "29 00", "30 00"]
