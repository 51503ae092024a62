"""Rows of the hooks as plain data for JSON; secrets of old rows are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooks.latency import quantile_ms
from rules.redaction import redact

if TYPE_CHECKING:
    from hooks.models import HookCall, HookFailure
    from hooks.timeline import PromptStory, SessionStory
    from rules.models import Injection

Record = dict[str, Any]  # Any: the columns of a schema


def injection_record(row: Injection) -> Record:
    return {
        "short_id": row.rule.short_id,
        "trigger": redact(row.rule.trigger).text,
        "level": row.level,
        "is_full": row.is_full,
        "session_id": row.session_id,
        "prompt_key": row.prompt_key,
        "project_id": row.project_id,
        "at": row.at,
    }


def call_record(row: HookCall) -> Record:
    return {
        "day": row.day,
        "event": row.event,
        "host": row.host,
        "calls": row.calls,
        "slowest_ms": row.slowest_ms,
        "p50_ms": quantile_ms(row.buckets, 0.5),
        "p95_ms": row.p95_ms,
        "last_at": row.last_at,
    }


def failure_record(row: HookFailure) -> Record:
    return {
        "event": row.event,
        "host": row.host,
        "error": row.error,
        "message": redact(row.message).text,
        "is_deadline": row.is_deadline,
        "at": row.at,
    }


def story_record(story: SessionStory) -> Record:
    return {
        "session_id": story.session_id,
        "session": story.session,
        "prompts": [_prompt_record(prompt) for prompt in story.prompts],
        "is_cut": story.is_cut,
    }


def _prompt_record(prompt: PromptStory) -> Record:
    return {
        "prompt_key": prompt.prompt_key,
        "at": prompt.at,
        "project_id": prompt.project_id,
        "shown": [injection_record(row) for row in prompt.shown],
        "gate": prompt.gate,
    }
