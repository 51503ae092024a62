"""Reading a large transcript (memory, and time against length) and the queue of jobs (queries, not milliseconds)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from extraction import jobs
from extraction.compress import Sizes
from extraction.models import ExtractJob, ExtractRun
from extraction.pipeline import read_transcript
from extraction.transcript_file import MAX_TRANSCRIPT_BYTES
from nokori_site.benchmark.figures import Row, limited_row
from nokori_site.benchmark.processes import BARE, Process, measure

MEMORY_MB = 150  # over a bare interpreter, for the largest transcript that is read
GROWTH = 2.6  # of the time for twice the length; 2 is linear, the rest is for a busy machine
JOBS = 10_000
CLAIMS = 100
QUERIES_PER_CLAIM = 3  # look, claim, fetch
TIMINGS = 3  # the best counts
READ = (
    "import sys, django; sys.path.insert(0, sys.argv[1]); django.setup(); "
    "from extraction.compress import Sizes; from extraction.pipeline import read_transcript; "
    "read_transcript(sys.argv[2], start=0, sizes=Sizes())"
)


def measure_extraction(folder: Path, *, rule_count: int, runs: int) -> list[Row]:
    """Reading and queueing know no rules: with fewer than usual, the transcript is shorter and the queue too."""
    share = min(1.0, rule_count / JOBS)
    size = int(share * (MAX_TRANSCRIPT_BYTES - 1024))
    whole, half = folder / "whole.jsonl", folder / "half.jsonl"
    _write_transcript(whole, size)
    _write_transcript(half, size // 2)
    rows = [_memory_row(whole, runs=min(runs, 3)), _growth_row(whole, half), *_queue_rows(int(share * JOBS))]
    whole.unlink()
    half.unlink()
    return rows


def _write_transcript(path: Path, size: int) -> None:
    with path.open("wb") as file:
        for line in _lines():
            if file.tell() + len(line) > size:
                return
            file.write(line)


def _lines() -> Iterator[bytes]:
    """A long session without an end: typed words, answers, tool calls, their results, now and then a large one."""
    number = 0
    while True:
        number += 1
        yield _line("user", f"Wish {number}: " + f"use the helper of module {number}, not a copy of it. " * 8)
        yield _line("assistant", [{"type": "text", "text": f"Answer {number}. " * 60}])
        for call in range(6):
            tool_input = {"command": f"sed -n 1,200p module_{number}_{call}.py"}
            yield _line("assistant", [{"type": "tool_use", "name": "Bash", "input": tool_input}])
            result = f"line {call} of module {number}\n" * (20_000 if number % 50 == 0 and call == 0 else 60)
            yield _line("user", [{"type": "tool_result", "content": result, "is_error": number % 7 == 0}])


def _line(role: str, content: object) -> bytes:
    entry = {"type": role, "cwd": "/app", "message": {"role": role, "content": content}}
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _memory_row(path: Path, *, runs: int) -> Row:
    argv = [sys.executable, "-c", READ, str(settings.BASE_DIR), str(path)]
    read = measure(Process(argv), rounds=runs)
    size = path.stat().st_size / 1024 / 1024
    bare = measure(Process(BARE), rounds=1)
    wall, _ = read.milliseconds("wall")
    figures = {"wall ms": wall, "peak MB": read.peak_mb, "MB over bare": read.peak_mb - bare.peak_mb}
    return limited_row(f"{size:.0f} MB read and compressed", figures, key="MB over bare", limit=MEMORY_MB)


def _growth_row(whole: Path, half: Path) -> Row:
    long, short = _seconds(whole), _seconds(half)
    figures = {"seconds": long, "half": short, "times": long / short}
    return limited_row("twice the length", figures, key="times", limit=GROWTH)


def _seconds(path: Path) -> float:
    def once() -> float:
        start = process_time()
        read_transcript(str(path), start=0, sizes=Sizes())
        return process_time() - start

    return min(once() for _ in range(TIMINGS))


def _queue_rows(count: int) -> list[Row]:
    now = timezone.now()
    ExtractJob.objects.bulk_create(
        ExtractJob(note_id=f"n{n}", transcript_path=f"/t/{n}.jsonl", session_id="s", created_at=now, updated_at=now)
        for n in range(count)
    )
    run = ExtractRun.objects.create(started_at=now)
    with CaptureQueriesContext(
        connection,
    ) as listing:
        listed = len(ExtractJob.objects.waiting())
    with CaptureQueriesContext(connection) as claiming:
        for _ in range(min(CLAIMS, count)):
            jobs.claim_next(ExtractJob.objects.all(), run=run, now=now)
    listing_figures = {"jobs": float(listed), "queries": float(len(listing))}
    claiming_figures = {"jobs": float(min(CLAIMS, count)), "queries": len(claiming) / min(CLAIMS, count)}
    return [
        limited_row("jobs listed", listing_figures, key="queries", limit=1),
        limited_row("claimed, queries for each", claiming_figures, key="queries", limit=QUERIES_PER_CLAIM),
    ]
