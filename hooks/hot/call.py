"""Call: one hook call while it runs. The event, where things lie, what is published, the clock, and what went wrong.

A fault that leaves a useful answer possible is collected in `failures` and noted at the end; any other is raised.
"""

from __future__ import annotations

import time

from hooks.hot.stamps import add_stamp, seconds_since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.events import HookEvent
    from hooks.hot.published import Published
    from rules.disk import DataFolder

SETTLE_PAUSE_SECONDS = 60.0  # between two requests for something that was found missing
ASKED = "settle-asked"


class Call:
    """`started` is time.perf_counter() at its start; `is_cheap` leaves the search out (see deadline.py); `told` is what
    its log line says besides.
    """

    __slots__ = ("event", "failures", "folder", "is_cheap", "now", "project_id", "published", "started", "told")

    def __init__(
        self,
        event: HookEvent,
        *,
        folder: DataFolder,
        published: Published,
        now: float,
        started: float,
        is_cheap: bool = False,
    ) -> None:
        self.event = event
        self.folder = folder
        self.published = published
        self.now = now
        self.started = started
        self.is_cheap = is_cheap
        self.project_id = ""
        self.failures: list[Exception] = []
        self.told: dict[str, object] = {}

    def milliseconds(self) -> float:
        return (time.perf_counter() - self.started) * 1000.0

    def tolerating(self, *kinds: type[Exception]) -> Tolerance:
        """A block in which errors of these kinds are collected instead of raised."""
        return Tolerance(self.failures, kinds)

    def settle(self) -> None:
        """Starts the housekeeping pass."""
        from hooks.hot.spawn import spawn_settle  # noqa: PLC0415  most calls start nothing

        with self.tolerating(OSError):
            spawn_settle(python=self.published.python, manage=self.published.manage)

    def settle_if_not_asked(self, *, since: float = 0.0) -> bool:
        """Starts the housekeeping pass unless a call asked for it within the last minute; True when it did.

        A request from before `since` (epoch seconds) was for something else and does not count.
        """
        age = seconds_since(self.folder, ASKED, now=self.now)
        if age < SETTLE_PAUSE_SECONDS and self.now - age >= since:
            return False
        add_stamp(self.folder, ASKED)
        self.settle()
        return True


class Tolerance:
    __slots__ = ("failures", "kinds")

    def __init__(self, failures: list[Exception], kinds: tuple[type[Exception], ...]) -> None:
        self.failures = failures
        self.kinds = kinds

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, self.kinds):
            return False
        self.failures.append(error)
        return True
