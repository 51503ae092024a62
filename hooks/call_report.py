"""What the hooks' calls cost, and when each agent called last: rows of daily counts > a line for each event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import Max

from hooks.hot.client import EVENTS
from hooks.latency import add_buckets, quantile_ms
from hooks.models import HookCall

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime


@dataclass(kw_only=True)
class EventCost:
    """The timed calls of one event: those that left a note. Milliseconds are None without one."""

    event: str
    calls: int = 0
    slowest_ms: float = 0.0
    buckets: list[int] = field(default_factory=list)

    @property
    def p50_ms(self) -> float | None:
        return quantile_ms(self.buckets, 0.5)

    @property
    def p95_ms(self) -> float | None:
        return quantile_ms(self.buckets, 0.95)


@dataclass(frozen=True, kw_only=True)
class LastCall:
    """When a host called an event last."""

    host: str
    event: str
    at: datetime


def event_costs(since: date) -> list[EventCost]:
    """One for each event that was called since that local day, in the order in which a session meets them."""
    costs: dict[str, EventCost] = {}
    for row in HookCall.objects.timed().filter(day__gte=since):
        cost = costs.setdefault(row.event, EventCost(event=row.event))
        cost.calls += row.calls
        cost.slowest_ms = max(cost.slowest_ms, row.slowest_ms)
        cost.buckets = add_buckets(cost.buckets, row.buckets)
    return sorted(costs.values(), key=lambda cost: _place(cost.event))


def last_calls() -> list[LastCall]:
    """By host, and within it in the order in which a session meets the events."""
    rows = HookCall.objects.timed().order_by("host").values_list("host", "event").annotate(Max("last_at"))
    calls = [LastCall(host=host, event=event, at=at) for host, event, at in rows]
    return sorted(calls, key=lambda call: (call.host, _place(call.event)))


def latest_by_host(calls: Iterable[LastCall]) -> list[LastCall]:
    """The newest call of each host."""
    newest: dict[str, LastCall] = {}
    for call in sorted(calls, key=lambda call: call.at):
        newest[call.host] = call
    return sorted(newest.values(), key=lambda call: call.at, reverse=True)


def _place(event: str) -> int:
    order = list(EVENTS)
    return order.index(event) if event in order else len(order)
