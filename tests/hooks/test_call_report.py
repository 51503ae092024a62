from datetime import timedelta

import pytest

from hooks.call_report import event_costs, last_calls, latest_by_host
from hooks.models import ANY_HOST, HookCall
from tests.factories import NOW

pytestmark = pytest.mark.django_db
DAY = NOW.date()


def called(event="user-prompt-submit", *, host="claude", back=0, **changes):
    at = NOW - timedelta(days=back)
    values = {"calls": 2, "slowest_ms": 40.0, "buckets": [0] * 5 + [2], "last_at": at}
    return HookCall.objects.create(day=at.date(), event=event, host=host, **(values | changes))


def test_the_calls_of_all_hosts_and_days_are_one_line_for_each_event():
    called(host="claude")
    called(host="cursor", slowest_ms=90.0)
    called(back=1)
    called(back=9)

    (cost,) = event_costs(DAY - timedelta(days=6))

    assert (cost.event, cost.calls, cost.slowest_ms, sum(cost.buckets)) == ("user-prompt-submit", 6, 90.0, 6)
    assert cost.p50_ms
    assert cost.p95_ms
    assert 16 <= cost.p50_ms < cost.p95_ms <= 32


def test_calls_that_left_no_note_are_not_timed():
    called(host=ANY_HOST)

    assert event_costs(DAY) == []


def test_events_stand_in_the_order_in_which_a_session_meets_them():
    for event in ("session-end", "pre-tool-use", "session-start", "something-new"):
        called(event)

    assert [cost.event for cost in event_costs(DAY)] == [
        "session-start",
        "pre-tool-use",
        "session-end",
        "something-new",
    ]


def test_each_host_has_its_last_call():
    called("session-start", host="claude", back=1)
    called("user-prompt-submit", host="claude")
    called("session-start", host="cursor", back=2)

    newest = latest_by_host(last_calls())

    assert [(call.host, call.event) for call in newest] == [
        ("claude", "user-prompt-submit"),
        ("cursor", "session-start"),
    ]
