"""Counts for each hour or day > the geometry of a bar chart. Pure.

Across, places are percentages of the plot's width, so that a chart fits every screen without its words shrinking; down,
they are pixels:  y = top + (height - top) * (1 - value / ceiling)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HEIGHT = 168  # pixels of the plot
TOP = 26  # pixels kept free above the highest bar, for its marks
MOST_TICKS = 4  # lines above the ground line
STEPS = (1, 2, 5)
BAR_SHARE = 0.5  # of the room that a column has
GAP = 1  # pixel between the two parts of a bar


@dataclass(frozen=True, kw_only=True)
class Column:
    """What one bar shows. label: below it, may be empty; title: in full, on hover."""

    label: str
    title: str
    warm: int = 0
    hot: int = 0
    gate: int = 0
    dismissed: int = 0


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One column as it is drawn."""

    column: Column
    left: float
    width: float
    center: float
    warm_y: float
    warm_height: float
    hot_y: float
    hot_height: float
    mark_y: float


@dataclass(frozen=True, kw_only=True)
class Tick:
    """One line across, and the number it stands for."""

    y: float
    value: int


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Bars from left to right, ticks from the ground up."""

    bars: Sequence[Bar]
    ticks: Sequence[Tick]
    height: int = HEIGHT


def draw(columns: Sequence[Column]) -> Chart:
    highest = max((column.warm + column.hot for column in columns), default=0)
    step = tick_step(highest)
    ceiling = step * max(1, -(-highest // step))
    room = 100 / max(1, len(columns))
    bars = [_bar(column, left=number * room, room=room, ceiling=ceiling) for number, column in enumerate(columns)]
    return Chart(bars=bars, ticks=[Tick(y=_y(value, ceiling), value=value) for value in range(0, ceiling + 1, step)])


def tick_step(highest: int) -> int:
    """The smallest of 1, 2, 5, 10, 20 ... of which MOST_TICKS reach that high."""
    power = 1
    while True:
        for step in STEPS:
            if step * power * MOST_TICKS >= highest:
                return step * power
        power *= 10


def _bar(column: Column, *, left: float, room: float, ceiling: int) -> Bar:
    warm_top, top = _y(column.warm, ceiling), _y(column.warm + column.hot, ceiling)
    width = room * BAR_SHARE
    gap = GAP if column.warm and column.hot else 0
    return Bar(
        column=column,
        left=round(left + (room - width) / 2, 2),
        width=round(width, 2),
        center=round(left + room / 2, 2),
        warm_y=warm_top,
        warm_height=round(HEIGHT - warm_top, 1),
        hot_y=top,
        hot_height=round(max(0.0, warm_top - top - gap), 1),
        mark_y=round(top - 7, 1),
    )


def _y(value: int, ceiling: int) -> float:
    return round(TOP + (HEIGHT - TOP) * (1 - value / ceiling), 1)
