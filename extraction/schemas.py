"""Jobs, transcripts and runs of extraction as the API tells them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema

from rules.schemas import Words


class JobFilter(Schema):
    status: Literal["", "pending", "running", "done", "failed", "dead"] = ""
    project_id: Words = ""
    transcript: Words = ""


class JobOut(Schema):
    """`counts`: lines, broken lines, secrets, candidates and what became of them."""

    id: int
    transcript_path: str
    session_id: str
    project_id: str
    status: Literal["pending", "running", "done", "failed", "dead"]
    attempts: int
    last_error: str
    start_offset: int | None
    end_offset: int | None
    counts: dict[str, Any]  # Any: whole numbers, and one table of them
    created_at: datetime
    updated_at: datetime


class Retried(Schema):
    retried: int


class TranscriptOut(Schema):
    """Everything before byte `offset` is extracted. `size`: of the file now; None when it is gone."""

    transcript_path: str
    offset: int
    size: int | None
    mtime: float
    extracted_at: datetime


class RunOut(Schema):
    id: int
    is_automatic: bool
    started_at: datetime
    finished_at: datetime | None
    summary: dict[str, Any]  # Any: what a run counted, see the worker's report


class ProgressOut(Schema):
    """How far extraction is. `working_on` is the transcript at hand, empty when nothing runs."""

    jobs: dict[str, int]
    is_running: bool
    working_on: str
    done: int
    total: int
