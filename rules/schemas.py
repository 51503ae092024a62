"""Rules as the API reads and writes them. What a column may hold is for rules.drafts to check."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from ninja import Field, Schema

from rules.lifecycle import Confidence, EvidenceKind, Mover, Scope, SourceType, Status

MAX_MOVED = 500  # rules in one call
Words = Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")]  # PostgreSQL knows no NUL
Name = Annotated[str, Field(max_length=64)]


class RuleFilter(Schema):
    text: Words = ""
    status: Status | Literal[""] = ""
    source_type: SourceType | Literal[""] = ""
    scope: Scope | Literal[""] = ""
    project_id: Words = ""
    sort: Literal[
        "-updated_at",
        "updated_at",
        "-created_at",
        "created_at",
        "-hit_count",
        "hit_count",
        "-last_hit",
        "last_hit",
        "trigger",
    ] = "-updated_at"


class RuleWords(Schema):
    """What a person may write; only what is given is changed."""

    trigger: str = ""
    action: str = ""
    rationale: str = ""
    behavior: str = ""
    variants: list[str] = []
    trigger_zh: str = ""
    action_zh: str = ""
    rationale_zh: str = ""
    behavior_zh: str = ""
    variants_zh: list[str] = []
    search_terms: dict[str, list[str]] = {}
    excludes: list[str] = []
    tool_pattern: str = ""
    source_type: SourceType = SourceType.CORRECTION
    confidence: Confidence = Confidence.HIGH


class NewRule(RuleWords):
    trigger: str
    action: str
    project_id: str = Field("", description="Empty: for every project.")


class RuleOut(RuleWords):
    """A rule with every column; `superseded_by` is a full id."""

    id: str
    short_id: str
    status: Status
    status_since: datetime
    project_scope: Scope
    project_id: str
    superseded_by: str | None
    archived_reason: str
    hit_count: int
    last_hit: datetime | None
    shadow_hit_count: int
    evidence_score: int
    manual_edit: bool
    quote: str
    created_at: datetime
    updated_at: datetime
    activated_at: datetime | None


class EvidenceOut(Schema):
    kind: EvidenceKind
    points: int
    day: date
    at: datetime
    project_id: str
    session_id: str


class ShadowHitOut(Schema):
    project_id: str
    day: date


class StatusChangeOut(Schema):
    from_status: str
    to_status: Status
    why: str
    by: Mover
    at: datetime


class WaitingPairOut(Schema):
    """This rule takes the place of `old` once it is active."""

    old: str
    relation: str
    at: datetime


class RuleWithPast(RuleOut):
    evidence: list[EvidenceOut]
    shadow_hits: list[ShadowHitOut]
    history: list[StatusChangeOut]
    waits_to_replace: list[WaitingPairOut]


class Move(Schema):
    """`archived` dismisses, `active` puts in use or takes a dismissal back."""

    to: Literal["active", "dormant", "archived"]


class MoveMany(Move):
    rules: list[Name] = Field(max_length=MAX_MOVED, description="short_ids")


class Moved(Schema):
    """How many were moved, and one sentence for each that could not be."""

    moved: int
    problems: list[str]
