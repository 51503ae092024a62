"""What the hooks did, and what they would do, as the API tells it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from ninja import Field, Schema

from rules.drafts import MAX_PROJECT_ID
from rules.lifecycle import Level
from rules.schemas import Words

MAX_PROMPT = 200_000  # characters; a hook searches the two ends of a longer one


class InjectionFilter(Schema):
    level: Level | Literal[""] = ""
    session_id: Words = ""
    rule: Words = Field("", description="A short_id or the beginning of one.")
    project_id: Words = ""


class InjectionOut(Schema):
    """A rule that was written into an agent's context. `is_full`: with its rationale."""

    short_id: str
    trigger: str
    level: Level
    is_full: bool
    session_id: str
    prompt_key: str
    project_id: str
    at: datetime


class GateFilter(Schema):
    answer: Literal["", "deny", "passed", "expired", "mismatch", "sub_agent", "corrupt"] = ""
    session_id: Words = ""


class GateDecisionOut(Schema):
    short_id: str
    session_id: str
    answer: str
    tool_name: str
    same_tool: bool | None
    at: datetime


class SessionFilter(Schema):
    host: Words = ""
    project_id: Words = ""
    is_open: bool | None = None


class SessionOut(Schema):
    session_id: str
    host: str
    project_id: str
    cwd: str
    transcript_path: str
    source: str
    started_at: datetime
    last_activity: datetime
    ended_at: datetime | None
    end_reason: str


class PromptOut(Schema):
    prompt_key: str
    at: datetime
    project_id: str
    shown: list[InjectionOut]
    gate: list[GateDecisionOut]


class SessionStoryOut(Schema):
    session_id: str
    session: SessionOut | None
    prompts: list[PromptOut]
    is_cut: bool


class CallFilter(Schema):
    days: int = Field(30, ge=1, le=366)


class HookCallOut(Schema):
    """The calls of one event on one day. An empty host: all hosts together, counted but not timed."""

    day: date
    event: str
    host: str
    calls: int
    slowest_ms: float
    p50_ms: float | None
    p95_ms: float | None
    last_at: datetime


class EventCostOut(Schema):
    """The timed calls of one event in those days, all hosts together."""

    event: str
    calls: int
    slowest_ms: float
    p50_ms: float | None
    p95_ms: float | None


class LastCallOut(Schema):
    """When a host called an event last."""

    host: str
    event: str
    at: datetime


class ArmedGateOut(Schema):
    """A session whose next tool call the gate may deny."""

    session_id: str
    short_id: str
    armed_at: datetime


class HookFailureOut(Schema):
    event: str
    host: str
    error: str
    message: str
    is_deadline: bool
    at: datetime


class ProjectOut(Schema):
    project_id: str
    name: str
    rules: int


class Prompt(Schema):
    prompt: str = Field(max_length=MAX_PROMPT)
    project_id: str = Field("", max_length=MAX_PROJECT_ID, description="Empty: global rules only.")
    by_words_alone: bool = Field(False, description="Leave the embed server out.")


class MeaningOut(Schema):
    """`fused`: words and meaning together in multiples of their floor. `cosine` is null for a rule that is not near."""

    cosine: float | None
    fused: float
    convex: float
    rrf: float


class HitOut(Schema):
    short_id: str
    rule_id: str
    trigger: str
    tier: str
    reason: str
    bm25: float
    tfidf: float
    meaning: MeaningOut | None
    evidence: float
    coverage: float
    matched: list[str]
    variant_hit: bool
    reactivates: bool
    status: str
    project_id: str


class GateVerdict(Schema):
    would_block: bool
    short_id: str
    action: str
    tool_pattern: str


class FloorsOut(Schema):
    short: float
    long: float


class EmbeddingOut(Schema):
    """`model` answered, or `why_not` says why none did. `floors`: the cosines that count as words do at their floor,
    and that are enough alone."""

    model: str
    why_not: str
    floors: list[float]


class ExplanationOut(Schema):
    """What a prompt would meet; `floor` is the evidence that a match has to pass."""

    prompt: str
    words: str
    project_id: str
    formal_pool: int
    shadow_pool: int
    bm25_matches: int
    is_long: bool
    floor: float
    floors: FloorsOut
    hot: list[HitOut]
    warm: list[HitOut]
    cold: list[HitOut]
    shadow: list[HitOut]
    embedding: EmbeddingOut
    gate: GateVerdict
    injected_text: str
