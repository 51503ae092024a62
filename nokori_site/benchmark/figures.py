"""What a benchmark found: rows of figures in, a table or JSON out. A row that has a target says whether it was met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from rich.console import Console
from rich.table import Table

from nokori_site.benchmark.processes import Rounds

TABLE_WIDTH = 150


@dataclass(frozen=True)
class Row:
    """The figures of one case, by their column, and the target as it is written in the issue of this version."""

    case: str
    figures: dict[str, float] = field(default_factory=dict)
    target: str = ""
    is_met: bool | None = None


def process_row(case: str, rounds: Rounds, *, ratio: float | None = None, peak_mb: float | None = None) -> Row:
    """The figures of a measured process; `ratio` is the most that wall and CPU may be, as multiples of the base."""
    wall, wall_p95 = rounds.milliseconds("wall")
    cpu, cpu_p95 = rounds.milliseconds("cpu")
    figures = {
        "wall ms": wall,
        "wall p95": wall_p95,
        "cpu ms": cpu,
        "cpu p95": cpu_p95,
        "wall x": rounds.wall_ratio,
        "cpu x": rounds.cpu_ratio,
        "peak MB": rounds.peak_mb,
    }
    limits = [(ratio, max(rounds.wall_ratio, rounds.cpu_ratio), "x"), (peak_mb, rounds.peak_mb, "MB")]
    asked = [(limit, value, unit) for limit, value, unit in limits if limit is not None]
    failed = f", {rounds.failed} RUNS FAILED" if rounds.failed else ""
    return Row(
        case + failed,
        figures,
        " and ".join(f"<= {limit:g} {unit}" for limit, _, unit in asked),
        all(value <= limit for limit, value, _ in asked) and not failed if asked else None,
    )


def limited_row(case: str, figures: dict[str, float], *, key: str, limit: float | None) -> Row:
    """A row whose one figure `key` has a limit; None for a figure that is only shown."""
    if limit is None:
        return Row(case, figures)
    return Row(case, figures, f"{key} <= {limit:g}", figures[key] <= limit)


def as_table(title: str, rows: Sequence[Row]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row.figures))
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("case")
    for column in columns:
        table.add_column(column, justify="right")
    table.add_column("target")
    for row in rows:
        shown = [_short(row.figures[column]) if column in row.figures else "" for column in columns]
        table.add_row(row.case, *shown, _verdict(row))
    console = Console(width=TABLE_WIDTH)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def as_dicts(rows: Sequence[Row]) -> list[dict[str, object]]:
    return [asdict(row) for row in rows]


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _verdict(row: Row) -> str:
    if row.is_met is None:
        return row.target
    return f"{row.target}: {'met' if row.is_met else 'MISSED'}"
