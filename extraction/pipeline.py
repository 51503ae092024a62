"""One job from transcript to rules: read, compress, extract, merge; a checkpoint after each candidate.

What the model found is kept in the job before the first of it is merged, and each merge marks its candidate as done in
the same transaction. So a run that was cut off, or a call that failed, is gone on from without repeating or losing work.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from django.db import transaction

from extraction import jobs
from extraction.candidates import Candidate, Extracted, extract_candidates
from extraction.compress import Excerpt, Sizes, compress
from extraction.dismissed import DismissedRules
from extraction.llm_errors import LlmError
from extraction.merge import Merged, Origin, apply_verdicts, judge_relations
from extraction.models import ExtractJob, TranscriptState
from extraction.neighbours import Neighbourhood
from extraction.transcript import Turn
from extraction.transcript_file import TranscriptReader, last_human_texts, open_transcript, require_allowed
from rules.projects import project_id
from rules.redaction import redact
from rules.refusals import RuleRefused

if TYPE_CHECKING:
    from datetime import datetime

    from extraction.llm import Llm

EARLIER_MESSAGES = 2  # of the person's, from before the bytes that are read now
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tools:
    """What a pipeline works with."""

    llm: Llm
    clock: Callable[[], datetime]
    roots: Sequence[str]  # folders that transcripts may lie in
    sizes: Sizes = field(default_factory=Sizes)
    limit: int = 3  # rules per transcript
    isolate_worktrees: bool = False


@dataclass(frozen=True)
class Reading:
    """What one transcript gave: its excerpt, how far it was read, and what was counted on the way."""

    excerpt: Excerpt
    start: int
    end: int
    mtime: float
    counts: dict[str, int]
    cwd: str


def run_job(job: ExtractJob, tools: Tools) -> Merged:
    """Takes a running job to its end. Raises TranscriptError, or LlmError after keeping all that was done."""
    path = require_allowed(job.transcript_path, tools.roots)
    if not job.checkpoint or _is_overtaken(job, path):
        _extract(job, path, tools)
    merged = _merge(job, tools)
    _finish(job, path, tools)
    return merged


def read_transcript(path: str, *, start: int, sizes: Sizes) -> Reading:
    """The part of a transcript from a byte on, without its secrets. Raises TranscriptError."""
    with open_transcript(path) as file:
        mtime = os.fstat(file.fileno()).st_mtime
    earlier = [redact(text).text for text in last_human_texts(path, EARLIER_MESSAGES, end=start)] if start else []
    reader = TranscriptReader(path, start=start)
    secrets: Counter[str] = Counter()
    excerpt = compress(_without_secrets(reader.turns(), secrets), sizes=sizes, earlier=earlier)
    counts = {name: getattr(reader, name) for name in ("lines", "bad_lines", "cut_turns", "human_turns")}
    return Reading(
        excerpt=excerpt,
        start=reader.start,
        end=reader.end,
        mtime=mtime,
        counts=counts | {"secrets": secrets.total(), "elided": int(excerpt.is_elided)},
        cwd=reader.cwd,
    )


def find_candidates(reading: Reading, *, project: str, tools: Tools) -> Extracted:
    """Raises LlmError."""
    dismissed = DismissedRules(project)
    return extract_candidates(reading.excerpt, llm=tools.llm, limit=tools.limit, is_dismissed=dismissed.hold)


def project_of(path: str, *, cwd: str, chosen: str, tools: Tools) -> str:
    """The project that a transcript's rules belong to; never none, for a rule without one would be everybody's."""
    folders = (cwd, os.path.dirname(path))  # noqa: PTH120  a plain string, as everywhere here
    found = (project_id(folder, isolate_worktrees=tools.isolate_worktrees) for folder in folders)
    return chosen or next(filter(None, found), "unknown")


def offset_of(path: str) -> int:
    return TranscriptState.objects.filter(transcript_path=path).values_list("offset", flat=True).first() or 0


def _without_secrets(turns: Iterable[Turn], secrets: Counter[str]) -> Iterator[Turn]:
    for turn in turns:
        redacted = redact(turn.text)
        secrets[turn.kind] += redacted.secrets
        yield Turn(turn.kind, redacted.text, tool=turn.tool, is_error=turn.is_error, is_cut=turn.is_cut)


def _is_overtaken(job: ExtractJob, path: str) -> bool:
    """Whether another job has read the transcript on since this one's checkpoint, and with it the same bytes."""
    return bool(job.checkpoint.get("offset", offset_of(path)) != offset_of(path))


def _extract(job: ExtractJob, path: str, tools: Tools) -> None:
    offset = offset_of(path)
    reading = read_transcript(path, start=offset, sizes=tools.sizes)
    job.project_id = project_of(path, cwd=reading.cwd, chosen=job.project_id, tools=tools)
    extracted = find_candidates(reading, project=job.project_id, tools=tools)
    job.start_offset, job.end_offset = reading.start, reading.end
    job.transcript_mtime = reading.mtime
    job.counts = reading.counts | {"candidates": len(extracted.candidates), "dropped": dict(extracted.dropped)}
    records = [candidate.as_record() for candidate in extracted.candidates]
    job.checkpoint = {"candidates": records, "done": [], "offset": offset}
    job.save(update_fields=["project_id", "start_offset", "end_offset", "transcript_mtime", "counts", "checkpoint"])
    logger.info("read bytes %d to %d: %s", reading.start, reading.end, job.counts)


def _merge(job: ExtractJob, tools: Tools) -> Merged:
    """Merges what is left; the last failed call is raised after all others had their turn."""
    neighbourhood = Neighbourhood(job.project_id)
    total = Merged()
    failure: LlmError | None = None
    for number, record in enumerate(job.checkpoint["candidates"]):
        if number in job.checkpoint["done"]:
            continue
        try:
            total += _merge_one(job, number, Candidate.from_record(record), neighbourhood=neighbourhood, tools=tools)
        except LlmError as error:
            logger.warning("skipping insert of candidate %d: %s", number + 1, error)
            failure = error
    if failure is not None:
        raise failure
    return total


def _merge_one(
    job: ExtractJob, number: int, candidate: Candidate, *, neighbourhood: Neighbourhood, tools: Tools
) -> Merged:
    neighbours = neighbourhood.neighbours(candidate)
    verdicts = judge_relations(candidate, neighbours, llm=tools.llm)
    origin = Origin(project_id=job.project_id, session_id=job.session_id)
    with transaction.atomic():
        merged = _applied(candidate, verdicts, origin=origin, now=tools.clock())
        job.checkpoint["done"].append(number)
        applied = Counter(job.counts.get("applied", {})) + Counter(asdict(merged))
        job.counts["applied"] = dict(applied)
        job.save(update_fields=["checkpoint", "counts"])
    logger.info("candidate %d of %d: %s %s", number + 1, len(job.checkpoint["candidates"]), verdicts, merged)
    return merged


def _applied(candidate: Candidate, verdicts: dict[str, str], *, origin: Origin, now: datetime) -> Merged:
    try:
        with transaction.atomic():
            return apply_verdicts(candidate, verdicts, origin=origin, now=now)
    except RuleRefused as error:
        logger.warning("a candidate is no rule: %s", error)
        return Merged()


@transaction.atomic
def _finish(job: ExtractJob, path: str, tools: Tools) -> None:
    """Notes how far the transcript is extracted; a file that has grown meanwhile keeps its job pending."""
    now = tools.clock()
    TranscriptState.objects.update_or_create(
        transcript_path=path,
        defaults={"offset": job.end_offset, "mtime": job.transcript_mtime, "extracted_at": now},
    )
    mtime = _present_mtime(path)
    has_grown = mtime is not None and mtime != job.transcript_mtime
    job.checkpoint = {}
    job.transcript_mtime = mtime
    if has_grown:
        jobs.keep_pending(job, now=now)
        logger.info("the transcript has grown meanwhile: its job stays pending")
    else:
        jobs.finish(job, now=now)


def _present_mtime(path: str) -> float | None:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116  a plain string, as everywhere here
    except OSError:
        return None
