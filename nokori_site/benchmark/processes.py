"""Whole processes, measured: a command and its standard input in, the figures of each round out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

LAUNCHER = Path(__file__).with_name("launcher.py")
BARE = (sys.executable, "-I", "-S", "-c", "pass")  # the base that every ratio is taken against
PEAK_UNITS_PER_MB = 1024 * 1024 if sys.platform == "darwin" else 1024
WARM_UP_ROUNDS = 2


@dataclass(frozen=True)
class Process:
    """One command, and what it reads. `%ROUND%` in either becomes the number of the round."""

    argv: Sequence[str]
    stdin: bytes = b""


@dataclass(frozen=True)
class Round:
    """What one run of the case cost, and the base run right before it."""

    base_wall: float
    base_cpu: float
    wall: float
    cpu: float
    peak: int
    exit_code: int


@dataclass(frozen=True)
class Rounds:
    """All runs of one case, and what the last one answered."""

    rounds: Sequence[Round]
    answer: bytes

    @property
    def failed(self) -> int:
        return sum(1 for one in self.rounds if one.exit_code != 0)

    @property
    def wall_ratio(self) -> float:
        """The median of the paired ratios: each run against the base run right before it."""
        return median(one.wall / one.base_wall for one in self.rounds)

    @property
    def cpu_ratio(self) -> float:
        return median(one.cpu / one.base_cpu for one in self.rounds)

    @property
    def peak_mb(self) -> float:
        return max(one.peak for one in self.rounds) / PEAK_UNITS_PER_MB

    def milliseconds(self, clock: str) -> tuple[float, float]:
        """Median and p95 of `wall` or `cpu`."""
        values = sorted(1000 * getattr(one, clock) for one in self.rounds)
        return median(values), percentile(values, 95)


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that at least that many percent of the ordered values do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def measure(case: Process, *, rounds: int, base: Sequence[str] = BARE, before: Process | None = None) -> Rounds:
    """Runs the case that many times, each right after one run of the base; `before` prepares a round, unmeasured."""
    with TemporaryDirectory(prefix="nokori-rounds-") as name:
        folder = Path(name)
        _write(folder, "base", Process(base))
        _write(folder, "case", case)
        if before:
            _write(folder, "before", before)
        command = [sys.executable, "-I", "-S", str(LAUNCHER), name, str(rounds + WARM_UP_ROUNDS)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        measured = [_round(line) for line in done.stdout.splitlines()]
        return Rounds(measured[WARM_UP_ROUNDS:], (folder / "case.out").read_bytes())


def _write(folder: Path, name: str, process: Process) -> None:
    (folder / f"{name}.argv").write_bytes("\0".join(process.argv).encode())
    (folder / f"{name}.stdin").write_bytes(process.stdin)


def _round(line: str) -> Round:
    base_wall, base_cpu, wall, cpu, peak, exit_code = line.split()
    return Round(float(base_wall), float(base_cpu), float(wall), float(cpu), int(peak), int(exit_code))
