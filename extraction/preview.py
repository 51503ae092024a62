"""What an extraction would find in a transcript: the model is asked, nothing is written."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from extraction.candidates import Candidate, Extracted
from extraction.models import ExtractJob
from extraction.pipeline import Tools, find_candidates, offset_of, project_of, read_transcript
from extraction.transcript_file import require_allowed

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Preview:
    """The candidates of one transcript, and what was counted while it was read."""

    transcript: str
    project_id: str
    extracted: Extracted
    counts: Mapping[str, int]

    def as_record(self) -> dict[str, object]:
        candidates = [candidate.as_record() for candidate in self.extracted.candidates]
        return asdict(self) | {"extracted": {"candidates": candidates, "dropped": dict(self.extracted.dropped)}}

    def __str__(self) -> str:
        lines = [f"transcript: {self.transcript}", f"project: {self.project_id}"]
        lines.append(f"candidates: {len(self.extracted.candidates)}")
        lines += [_lines(candidate) for candidate in self.extracted.candidates]
        lines += [f"dropped: {count} ({reason})" for reason, count in self.extracted.dropped.items()]
        return "\n".join([*lines, "applied: 0 (dry run)"])


def preview(path: str, *, project: str, tools: Tools) -> Preview:
    """Raises TranscriptError or LlmError."""
    real = require_allowed(path, tools.roots)
    reading = read_transcript(real, start=offset_of(real), sizes=tools.sizes)
    known = (
        ExtractJob.objects.filter(transcript_path=real)
        .exclude(project_id="")
        .values_list("project_id", flat=True)
        .first()
    )
    project_id = project_of(real, cwd=reading.cwd, chosen=project or known or "", tools=tools)
    extracted = find_candidates(reading, project=project_id, tools=tools)
    return Preview(transcript=real, project_id=project_id, extracted=extracted, counts=reading.counts)


def waiting_paths() -> list[str]:
    """The transcripts of the jobs that wait, each once."""
    return list(dict.fromkeys(ExtractJob.objects.waiting().values_list("transcript_path", flat=True)))


def _lines(candidate: Candidate) -> str:
    kind = f"{candidate.confidence} {candidate.source_type}"
    return f'  {kind}: {candidate.trigger}\n    do: {candidate.action}\n    said: "{candidate.quote}"'
