"""The life of a rule, as tables and tests without a database.

In: what a rule is and what speaks for it. Out: the status it starts with, the moves it may make, whether it has
earned activation. A status changes only along ALLOWED_MOVES.
"""

from __future__ import annotations

from enum import StrEnum

ACTIVATION_SCORE = 2  # README "How a rule turns active"
ACTIVATION_DAYS = 2  # distinct local calendar days, same place
PROMOTION_PROJECTS = 3  # README "Global Promotion"


class Status(StrEnum):
    CANDIDATE = "candidate"
    ACTIVE = "active"
    DORMANT = "dormant"
    MERGED = "merged"
    ARCHIVED = "archived"


class SourceType(StrEnum):
    CORRECTION = "correction"
    PREFERENCE = "preference"
    SOLUTION = "solution"
    ANTI_PATTERN = "anti_pattern"


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Scope(StrEnum):
    PROJECT = "project"
    GLOBAL = "global"


class Level(StrEnum):
    """How closely an injected or counted rule matched."""

    HOT = "hot"
    WARM = "warm"


class Mover(StrEnum):
    """Who moved a rule to another status."""

    COMMAND = "command"
    CHAT = "chat"
    PAGE = "page"
    PROMPT = "prompt"
    MAINTENANCE = "maintenance"
    EXTRACTION = "extraction"
    EVIDENCE = "evidence"


class EvidenceKind(StrEnum):
    USER_CORRECTION = "user_correction"
    SAME_EXTRACTION = "same_extraction"
    SHADOW_HOT = "shadow_hot"


EVIDENCE_POINTS = {
    EvidenceKind.USER_CORRECTION: 3,
    EvidenceKind.SAME_EXTRACTION: 1,
    EvidenceKind.SHADOW_HOT: 1,
}

ALLOWED_MOVES = {
    Status.CANDIDATE: (Status.ACTIVE, Status.MERGED, Status.ARCHIVED),
    Status.ACTIVE: (Status.DORMANT, Status.MERGED, Status.ARCHIVED),
    Status.DORMANT: (Status.ACTIVE, Status.MERGED, Status.ARCHIVED),
    Status.MERGED: (Status.DORMANT, Status.ARCHIVED),
    Status.ARCHIVED: (Status.ACTIVE, Status.CANDIDATE),  # a dismissal taken back; a candidate's leaves it one
}


def is_allowed(move_from: str, target: str) -> bool:
    return Status(target) in ALLOWED_MOVES[Status(move_from)]


def moves_by_hand(status: str) -> tuple[Status, ...]:
    """Where a person may move a rule; only a newer rule makes one merged, and only a rejection taken back a candidate."""
    return tuple(target for target in ALLOWED_MOVES[Status(status)] if target not in (Status.MERGED, Status.CANDIDATE))


def initial_status(source_type: str, confidence: str) -> Status:
    """A high correction is believed at once; anything else has to earn it."""
    if (source_type, confidence) == (SourceType.CORRECTION, Confidence.HIGH):
        return Status.ACTIVE
    return Status.CANDIDATE


def why_initial_status(source_type: str, confidence: str) -> str:
    if initial_status(source_type, confidence) == Status.ACTIVE:
        return "a correction of high confidence is believed at once"
    return f"only a correction of high confidence is believed at once, not {source_type} of {confidence} confidence"


def has_earned_activation(*, score: int, days: int) -> bool:
    return score >= ACTIVATION_SCORE and days >= ACTIVATION_DAYS


def has_earned_promotion(*, projects: int) -> bool:
    return projects >= PROMOTION_PROJECTS


def can_be_promoted(*, source_type: str, status: str, scope: str) -> bool:
    """Preferences belong to their project, and only an active rule goes global."""
    return source_type != SourceType.PREFERENCE and status == Status.ACTIVE and scope == Scope.PROJECT
