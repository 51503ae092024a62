"""What was shown, denied and dismissed in a period that ends now: totals, and columns for a chart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from django.utils import formats
from django.utils.timezone import localdate, localtime
from django.utils.translation import gettext as _

from hooks.models import GateDecision
from nokori_site.charts import Column
from rules.columns_of_time import count_in_database, count_moments
from rules.lifecycle import Level
from rules.maintenance import INJECTION_AGE
from rules.models import Injection, StatusChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DISMISSED = "dismissed"


@dataclass(frozen=True, kw_only=True)
class Period:
    """columns: how many hours or days it has; label_every: that many of them share a label; formats are Django's."""

    name: str
    length: timedelta
    step: timedelta
    columns: int
    label_every: int
    label_format: str
    title_format: str

    @property
    def is_kept_twice(self) -> bool:
        """Whether injections of the period before it are still there."""
        return 2 * self.length <= INJECTION_AGE

    def first_day(self, now: datetime) -> date:
        return localdate(now - self.length + self.step)

    def starts(self, now: datetime) -> list[datetime]:
        """The local beginnings of its columns, the present one last."""
        last = localtime(now).replace(minute=0, second=0, microsecond=0)
        if self.step == DAY:
            last = last.replace(hour=0)
        return [last - self.step * back for back in range(self.columns - 1, -1, -1)]


PERIODS = {
    period.name: period
    for period in (
        Period(name="24h", length=DAY, step=HOUR, columns=24, label_every=3, label_format="H:i", title_format="H:i"),
        Period(
            name="7d", length=7 * DAY, step=DAY, columns=7, label_every=1, label_format="D", title_format="DATE_FORMAT"
        ),
        Period(
            name="30d",
            length=30 * DAY,
            step=DAY,
            columns=30,
            label_every=5,
            label_format="j",
            title_format="DATE_FORMAT",
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class Activity:
    """Totals of the columns; retried: denied calls that passed when they were sent again."""

    columns: Sequence[Column]
    hot: int
    warm: int
    denied: int
    retried: int
    dismissed: int

    @property
    def shown(self) -> int:
        return self.hot + self.warm

    @property
    def is_empty(self) -> bool:
        return not (self.shown or self.denied or self.dismissed)


def activity(period: Period, *, now: datetime) -> Activity:
    starts = period.starts(now)
    counts = _count(starts)
    totals = sum(counts, Counter[str]())
    return Activity(
        columns=[_column(start, number, counts[number], period) for number, start in enumerate(starts)],
        hot=totals[Level.HOT],
        warm=totals[Level.WARM],
        denied=totals[GateDecision.Answer.DENY],
        retried=totals[GateDecision.Answer.PASSED],
        dismissed=totals[DISMISSED],
    )


def _count(starts: Sequence[datetime]) -> list[Counter[str]]:
    """Of each column: injections by level, the gate's answers, dismissals."""
    bounds = [start.astimezone(UTC) for start in starts]
    shown = count_in_database(Injection.objects.all(), by="level", words=list(Level), bounds=bounds)
    answers = GateDecision.objects.filter(at__gte=bounds[0]).values_list("at", "answer")
    steps = StatusChange.objects.dismissals().filter(at__gte=bounds[0]).values_list("at", flat=True)
    others = count_moments([*answers, *((at, DISMISSED) for at in steps)], bounds)
    return [left + right for left, right in zip(shown, others, strict=True)]


def _column(start: datetime, number: int, counts: Counter[str], period: Period) -> Column:
    is_labelled = (period.columns - 1 - number) % period.label_every == 0
    title = _("%(time)s: %(hot)d HOT, %(warm)d WARM, %(gate)d denied, %(dismissed)d dismissed") % {
        "time": formats.date_format(start, period.title_format),
        "hot": counts[Level.HOT],
        "warm": counts[Level.WARM],
        "gate": counts[GateDecision.Answer.DENY],
        "dismissed": counts[DISMISSED],
    }
    return Column(
        label=formats.date_format(start, period.label_format) if is_labelled else "",
        title=title,
        warm=counts[Level.WARM],
        hot=counts[Level.HOT],
        gate=counts[GateDecision.Answer.DENY],
        dismissed=counts[DISMISSED],
    )
