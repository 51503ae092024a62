"""Checks of what the agent's side does: registered, called, in time, and its notes filed."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from extraction.models import ExtractJob
from hooks.models import HookCall, HookFailure
from hooks.platforms import CLAUDE
from nokori_site.finding import Finding, State
from nokori_site.remedies import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.disk import DataFolder

REPORT_WINDOW = timedelta(hours=24)
OLD_NOTE = timedelta(hours=1)  # a settle files them within seconds
MISSES_IN_A_ROW = 3  # DESIGN: from then on a hook does only its cheap part for ten minutes


def check_stemmer() -> Iterator[Finding]:
    if importlib.util.find_spec("Stemmer") is None:
        yield Finding(
            "stemmer", State.FAIL, _("PyStemmer is not installed"), run("pip install -r requirements-core.txt")
        )
    else:
        yield Finding("stemmer", State.OK, _("found"))


def check_spool(folder: DataFolder, *, now: datetime) -> Iterator[Finding]:
    waiting, bad = _files(folder.spool_new), _files(folder.spool_bad)
    oldest = min((datetime.fromtimestamp(path.stat().st_mtime, UTC) for path in waiting), default=now)
    if now - oldest > OLD_NOTE:
        since = f"{oldest.astimezone():%Y-%m-%d %H:%M}"
        detail = _("%(notes)s, the oldest since %(since)s") % {"notes": _waiting(waiting), "since": since}
        remedy = _("Run: manage.py settle; then look into %(log)s") % {"log": f"{folder.logs}/settle.log"}
        yield Finding("spool", State.WARN, detail, remedy)
    else:
        yield Finding("spool", State.OK, _waiting(waiting))
    if bad:
        detail = _("%(count)d unreadable in %(folder)s") % {"count": len(bad), "folder": folder.spool_bad}
        yield Finding("bad notes", State.WARN, detail, _("Look into them, then delete them."))


def check_last_calls(folder: DataFolder) -> Iterator[Finding]:
    """When each hook was last called, from its stamp and from what was filed before."""
    filed = dict(HookCall.objects.counted().values_list("event").annotate(Max("last_at")))
    for entry in CLAUDE.entries:
        moments = [moment for moment in (filed.get(entry.event), _stamp_time(folder, entry.event)) if moment]
        detail = _("not called yet")
        if moments:
            detail = _("last called %(moment)s") % {"moment": f"{max(moments).astimezone():%Y-%m-%d %H:%M}"}
        yield Finding(entry.event, State.OK if moments else State.NOTE, detail)


def check_hosts() -> Iterator[Finding]:
    """When each host last let us know of anything, and of what."""
    timed = (
        HookCall.objects.timed().values_list("host", "event").annotate(last=Max("last_at")).order_by("host", "event")
    )
    by_host: dict[str, list[str]] = {}
    for host, event, last in timed:
        by_host.setdefault(host, []).append(f"{event} {last.astimezone():%Y-%m-%d %H:%M}")
    for host, calls in by_host.items():
        yield Finding("hosts", State.OK, f"{host}: {', '.join(calls)}")


def check_jobs() -> Iterator[Finding]:
    counts = dict(ExtractJob.objects.counted_by_status())
    told = ", ".join(f"{count} {_(status)}" for status, count in sorted(counts.items())) or _("none")
    last = ExtractJob.objects.given_up().order_by("updated_at").last()
    if last is not None:
        given_up = f"{last.transcript_path}: {last.last_error}"
        detail = _("%(jobs)s; last given up: %(job)s") % {"jobs": told, "job": given_up}
        yield Finding("jobs", State.WARN, detail, run("manage.py extract --retry"))
    else:
        yield Finding("jobs", State.OK, told)


def check_deadlines(folder: DataFolder) -> Iterator[Finding]:
    for path in _files(folder.stamps):
        event = path.name.removeprefix("deadline-")
        if event != path.name and path.stat().st_size >= MISSES_IN_A_ROW:
            times = {"event": event, "count": path.stat().st_size}
            detail = _("%(event)s was too late %(count)d times in a row and does only its cheap part") % times
            yield Finding("deadline", State.WARN, detail, _("Look what keeps this machine or its disk busy."))


def check_failures(*, now: datetime) -> Iterator[Finding]:
    recent = HookFailure.objects.since(now - REPORT_WINDOW)
    latest = recent.order_by("at").last()
    if latest is None:
        yield Finding("failures", State.OK, _("none in 24 hours"))
        return
    late = recent.filter(is_deadline=True).count()
    facts = {"count": recent.count(), "late": late, "last": latest}
    detail = _("%(count)d in 24 hours, %(late)d of them too late; last: %(last)s") % facts
    yield Finding("failures", State.WARN, detail, _("None of it stopped the agent; logs/hook.log has each of them."))


def _waiting(notes: list[Path]) -> str:
    return ngettext("%(count)d waiting note", "%(count)d waiting notes", len(notes)) % {"count": len(notes)}


def _stamp_time(folder: DataFolder, event: str) -> datetime | None:
    try:
        return datetime.fromtimestamp((Path(folder.stamps) / event).stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def _files(place: str) -> list[Path]:
    folder = Path(place)
    return [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
