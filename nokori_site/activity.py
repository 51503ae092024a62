"""What was shown, denied and dismissed in a period that ends now: totals, and columns for a chart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import formats
from django.utils.timezone import localdate, localtime
from django.utils.translation import gettext as _

from hooks.models import GateDecision
from nokori_site.charts import Column
from rules.hourly import HOUR, count_hourly
from rules.lifecycle import Level
from rules.maintenance import INJECTION_AGE
from rules.models import Injection, StatusChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from rules.hourly import HourlyKey

DAY = timedelta(days=1)
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
    counts = _by_column(count_hourly(Injection.objects.all(), by="level", since=starts[0]), period)
    counts += _by_column(count_hourly(GateDecision.objects.all(), by="answer", since=starts[0]), period)
    dismissals = count_hourly(StatusChange.objects.dismissals(), by="to_status", since=starts[0])
    counts += _by_column(dismissals, period, renamed=DISMISSED)
    totals = Counter[str]()
    for (_start, word), number in counts.items():
        totals[word] += number
    return Activity(
        columns=[_column(start, number, counts, period) for number, start in enumerate(starts)],
        hot=totals[Level.HOT],
        warm=totals[Level.WARM],
        denied=totals[GateDecision.Answer.DENY],
        retried=totals[GateDecision.Answer.PASSED],
        dismissed=totals[DISMISSED],
    )


def _by_column(hourly: Counter[HourlyKey], period: Period, *, renamed: str = "") -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for key, number in hourly.items():
        counts[_name(key.hour, period), renamed or key.word] += number
    return counts


def _name(moment: datetime, period: Period) -> str:
    """The same for all moments of one column; by the clock on the wall, so that a day of 23 hours is one too."""
    return f"{moment:%Y-%m-%d}" if period.step == DAY else f"{moment:%Y-%m-%d %H}"


def _column(start: datetime, number: int, counts: Counter[tuple[str, str]], period: Period) -> Column:
    def of(word: str) -> int:
        return counts[_name(start, period), word]

    is_labelled = (period.columns - 1 - number) % period.label_every == 0
    title = _("%(time)s: %(hot)d HOT, %(warm)d WARM, %(gate)d denied, %(dismissed)d dismissed") % {
        "time": formats.date_format(start, period.title_format),
        "hot": of(Level.HOT),
        "warm": of(Level.WARM),
        "gate": of(GateDecision.Answer.DENY),
        "dismissed": of(DISMISSED),
    }
    return Column(
        label=formats.date_format(start, period.label_format) if is_labelled else "",
        title=title,
        warm=of(Level.WARM),
        hot=of(Level.HOT),
        gate=of(GateDecision.Answer.DENY),
        dismissed=of(DISMISSED),
    )
