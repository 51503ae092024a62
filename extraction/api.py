"""Extraction in the API: jobs and their retry, transcripts, runs, progress."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Path, Query, Router

from extraction import jobs
from extraction.models import ExtractJob, ExtractRun, TranscriptState
from extraction.progress import Progress, look_at_progress, read_transcript
from extraction.schemas import JobFilter, JobOut, ProgressOut, Retried, RunOut, TranscriptOut
from rules.paging import Page, PageWish, page_of

router = Router(tags=["extraction"])
Record = dict[str, Any]  # Any: the columns of a schema
Number = Annotated[int, Path(ge=1, le=2**63 - 1)]  # what a database can look for


@router.get("/jobs", response=Page[JobOut])
def list_jobs(request: HttpRequest, wish: Query[JobFilter], page: Query[PageWish]) -> Record:
    """The jobs, the one that changed last first."""
    return page_of(ExtractJob.objects.matching(**wish.dict()), page, lambda job: job)


@router.post("/jobs/retry", response=Retried)
def retry_jobs(request: HttpRequest) -> Record:
    """Puts every job that was given up back into the queue."""
    return {"retried": jobs.retry(ExtractJob.objects.all(), now=timezone.now())}


@router.get("/jobs/{number}", response=JobOut)
def show_job(request: HttpRequest, number: Number) -> ExtractJob:
    return jobs.find_job(number)


@router.post("/jobs/{number}/retry", response=JobOut)
def retry_job(request: HttpRequest, number: Number) -> ExtractJob:
    return jobs.retry_one(number, now=timezone.now())


@router.get("/transcripts", response=Page[TranscriptOut])
def list_transcripts(request: HttpRequest, page: Query[PageWish]) -> Record:
    return page_of(TranscriptState.objects.order_by("-extracted_at", "-pk"), page, read_transcript)


@router.get("/extract-runs", response=Page[RunOut])
def list_runs(request: HttpRequest, page: Query[PageWish]) -> Record:
    return page_of(ExtractRun.objects.order_by("-started_at", "-pk"), page, lambda run: run)


@router.get("/extract-progress", response=ProgressOut)
def show_progress(request: HttpRequest) -> Progress:
    return look_at_progress()
