"""Starts the extractor in the background when its time has come: async mode, a job that waits, nobody at work.

Never more than one at a time, at most one start a minute and MAX_STARTS an hour, and none from inside an extraction.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from extraction.models import ExtractJob, ExtractRun
from extraction.worker import ExtractRunning, is_extracting
from hooks.hot.spawn import spawn_extract
from hooks.hot.stamps import add_stamp, seconds_since
from hooks.models import AgentSession

if TYPE_CHECKING:
    from datetime import datetime

    from nokori_site.config import Config
    from rules.disk import DataFolder

ASKED = "extract-asked"
PAUSE_SECONDS = 60.0
MAX_STARTS = 12  # an hour
HOUR = timedelta(hours=1)


def start_extraction(folder: DataFolder, *, config: Config, now: datetime) -> bool:
    """Whether one was started. Raises OSError when the system refuses."""
    if config.extract_mode != "async" or config.extracting or not _has_work(now):
        return False
    if config.extract_defer_active and AgentSession.objects.open().exists():
        return False
    if _was_started_lately(folder, now=now) or is_extracting(folder):
        return False
    add_stamp(folder, ASKED)
    spawn_extract(folder)
    return True


def start_by_hand(folder: DataFolder) -> bool:
    """What the pages' run-now does: whether a process was started. Raises ExtractRunning, OSError when the system refuses."""
    if is_extracting(folder):
        raise ExtractRunning("An extraction is at work already.")
    return spawn_extract(folder, is_automatic=False)


def _has_work(now: datetime) -> bool:
    """A job that waits, or one that a killed run left behind."""
    lost = ExtractJob.objects.filter(status=ExtractJob.Status.RUNNING)
    return ExtractJob.objects.waiting().rested(now=now).exists() or lost.exists()


def _was_started_lately(folder: DataFolder, *, now: datetime) -> bool:
    if seconds_since(folder, ASKED, now=now.timestamp()) < PAUSE_SECONDS:
        return True
    return ExtractRun.objects.filter(is_automatic=True, started_at__gt=now - HOUR).count() >= MAX_STARTS
