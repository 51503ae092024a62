"""What tests of extraction start from: make_candidate(**changes), make_job(**changes), tools(llm)."""

from extraction.candidates import Candidate
from extraction.jobs import EndedSession, claim_next, enqueue
from extraction.models import ExtractJob, ExtractRun
from extraction.pipeline import Tools
from rules.lifecycle import Confidence, SourceType
from tests.factories import NOW

PROJECT = "project-0a1b2c3d"


def make_candidate(**changes):
    return Candidate(
        **{
            "trigger": "Pushing commits to a shared branch",
            "action": "Use --force-with-lease on a feature branch, never on main",
            "quote": "Never force-push to main",
            "source_type": SourceType.CORRECTION,
            "confidence": Confidence.HIGH,
        }
        | changes
    )


def weak(**changes):
    """One that does not start as active."""
    return make_candidate(**{"confidence": Confidence.MEDIUM} | changes)


def make_job(path="/nowhere/s.jsonl", **changes):
    session = {
        "note_id": f"note-{path}",
        "session_id": "session-1",
        "transcript_path": str(path),
        "project_id": PROJECT,
    }
    return enqueue(EndedSession(**session | changes), now=NOW)


def make_run(**changes):
    return ExtractRun.objects.create(**{"started_at": NOW} | changes)


def claimed():
    """The next job, claimed by a run of its own."""
    job = claim_next(ExtractJob.objects.all(), run=make_run(), now=NOW)
    assert job is not None
    return job


def tools(llm, *, roots=("/",), **changes):
    return Tools(llm=llm, clock=lambda: NOW, roots=roots, **changes)


def judged(**letters):
    """A relation answer: judged(a3f2b1="A")."""
    return {
        "relationships": [
            {"existing_id": name, "judgment": letter, "reasoning": ""} for name, letter in letters.items()
        ]
    }
