"""How far a long verb is, as a bar on stderr; without a terminal there it stays silent."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yields what is to be told how much is done, and of how much."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None)

        def watch(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield watch
