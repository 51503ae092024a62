"""What one page saw of the log stream: frames go in as they come, figures stand in it at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

LINES_PER_SECOND = 2_000
PAGES = 10
NUMBERED = re.compile(r"n(\d+) at (\d+\.\d+)$")


@dataclass
class Watched:
    """What one page saw: how many lines, how late each one was, how many it was told to have missed."""

    lines: int = 0
    missed: int = 0
    lags: list[float] = field(default_factory=list)

    def take(self, frame: dict[str, Any], *, now: float) -> None:
        self.missed += frame["missed"]
        for *_, text in frame["lines"]:
            if found := NUMBERED.search(text):
                self.lines += 1
                self.lags.append(now - float(found[2]))
