"""Transcript lines as clients write them, and the real ones that lie beside the repository."""

import json
from pathlib import Path

import pytest

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "transcripts"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the real transcripts are not beside this checkout")


def typed(text, **fields):
    """A line that a person typed into the newest Claude Code."""
    return {
        "type": "user",
        "promptSource": "typed",
        "turnOrigin": "human",
        "message": {"role": "user", "content": text},
    } | fields


def said(text):
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


def tool_use(name, **tool_input):
    block = {"type": "tool_use", "id": "t1", "name": name, "input": tool_input}
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}


def tool_result(text, *, is_error=False):
    block = {"type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": is_error}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": text}


def as_bytes(*entries):
    return b"".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for entry in entries)


def write_transcript(path, *entries):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_bytes(*entries))
    return str(path)
