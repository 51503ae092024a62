"""How long what the hooks did is kept: the scans that remove its old rows and files."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from hooks.leftovers import BAD_NOTES, CLAIMS, SESSION_FILES, TEMPORARIES, markers, remove_leftovers
from hooks.models import AgentSession, FiledNote, GateDecision, HookCall, HookFailure
from rules.maintenance import Counts, Scan, delete_in_batches

if TYPE_CHECKING:
    from datetime import datetime

    from hooks.leftovers import Leftovers
    from rules.disk import DataFolder

SESSION_AGE = timedelta(days=60)  # since its last sign of life, like its file
DECISION_AGE = timedelta(days=90)
FAILURE_AGE = timedelta(days=30)
CALL_AGE = timedelta(days=365)
FILED_NOTE_AGE = timedelta(days=30)  # a note's file is gone a moment after it was filed
MARKER_INTERVAL = timedelta(minutes=10)  # the fewer markers, the more tool calls stay cheap
FILE_INTERVAL = timedelta(hours=1)
ROW_INTERVAL = timedelta(days=1)


def hook_scans(folder: DataFolder, *, gate_ttl_seconds: int) -> tuple[Scan, ...]:
    kinds = (markers(gate_ttl_seconds), SESSION_FILES, CLAIMS, BAD_NOTES, TEMPORARIES)
    return (
        *(_file_scan(kind, folder) for kind in kinds),
        Scan(name="hook rows", every=ROW_INTERVAL, run=_delete_old_rows),
    )


def _file_scan(kind: Leftovers, folder: DataFolder) -> Scan:
    every = MARKER_INTERVAL if "gate_markers" in kind.folders[:1] else FILE_INTERVAL
    return Scan(name=kind.name, every=every, run=partial(_remove_files, kind, folder))


def _remove_files(kind: Leftovers, folder: DataFolder, now: datetime) -> Counts:
    return {"deleted": remove_leftovers(kind, folder, now=now.timestamp())}


def _delete_old_rows(now: datetime) -> Counts:
    return {
        "sessions": delete_in_batches(AgentSession.objects.filter(last_activity__lt=now - SESSION_AGE)),
        "gate decisions": delete_in_batches(GateDecision.objects.filter(at__lt=now - DECISION_AGE)),
        "failures": delete_in_batches(HookFailure.objects.filter(at__lt=now - FAILURE_AGE)),
        "daily counts": delete_in_batches(HookCall.objects.filter(last_at__lt=now - CALL_AGE)),
        "filed notes": delete_in_batches(FiledNote.objects.filter(filed_at__lt=now - FILED_NOTE_AGE)),
    }
