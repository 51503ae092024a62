"""How other programs' exports say what ours say: their record goes in, one in our words comes out.

Versions 2 to 5 name a few columns differently and keep evidence and shadow hits as logs. Versions 6 to 10 have other
statuses, a severity instead of type and confidence, and much that has no place here. A value that is not what it
should be goes through as it is: the reader of its column refuses it, under the name that it has in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from rules.drafts import MAX_PHRASE, MAX_PHRASES
from rules.lifecycle import Confidence, Scope, SourceType, Status
from rules.refusals import RuleRefused
from rules.transfer.document import OUR_FORMAT, OUR_VERSION

if TYPE_CHECKING:
    from rules.transfer.document import Header

Record: TypeAlias = Mapping[str, Any]  # values as the file has them, not yet checked

ORIGINAL_FORMAT = "nokori-export"
OLDER_VERSIONS = range(2, 6)
NEWER_VERSIONS = range(6, 11)


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The words of one kind of export.

    names: the file's name for a column of ours. replaced_is_merged: an archived rule that names its successor is what
    is called merged here. knows_hits: the file tells when a rule was last shown.
    """

    source: str
    translate: Callable[[Record], Record]
    names: Mapping[str, str] = field(default_factory=dict)
    replaced_is_merged: bool = False
    knows_hits: bool = True

    def place(self, column: str) -> str:
        return self.names.get(column, column)


def dialect_of(header: Header) -> Dialect:
    """Raises RuleRefused for a format or version that is not known."""
    kind, version = header.format, header.version
    if kind == OUR_FORMAT and version == OUR_VERSION:
        return OURS
    if kind in (ORIGINAL_FORMAT, None) and version in OLDER_VERSIONS:
        return OLDER
    if kind in (ORIGINAL_FORMAT, None) and version in NEWER_VERSIONS:
        return NEWER
    if version is None:
        raise RuleRefused("The file does not say which version of an export it is.")
    raise RuleRefused(
        f"The file is of format {kind!r}, version {version!r}; known are {OUR_FORMAT!r}, version {OUR_VERSION}, "
        f"and {ORIGINAL_FORMAT!r}, versions {OLDER_VERSIONS[0]} to {NEWER_VERSIONS[-1]}."
    )


def _as_it_is(raw: Record) -> Record:
    return raw


# Versions 2 to 5

OLDER_NAMES = {
    "trigger": "trigger_text",
    "variants": "trigger_variants",
    "trigger_zh": "trigger_text_zh",
    "variants_zh": "trigger_variants_zh",
    "evidence": "evidence_log",
    "shadow_hits": "promotion_evidence",
    "shadow_hits.day": "date",
}
OLDER_TIMES = ("last_hit", "created_at", "updated_at")
OLDER_DEFAULTS = {
    "source_type": SourceType.CORRECTION,
    "confidence": Confidence.MEDIUM,
    "status": Status.CANDIDATE,
    "project_scope": Scope.PROJECT,
}


def _translate_older(raw: Record) -> Record:
    ours = _renamed(raw, OLDER_NAMES)
    return {
        **OLDER_DEFAULTS,
        **{name: value for name, value in ours.items() if value is not None},
        **{name: _in_utc(ours[name]) for name in OLDER_TIMES if name in ours},
        "evidence": _each(ours.get("evidence"), lambda entry: {**entry, "at": _in_utc(entry.get("at"))}),
        "shadow_hits": _each(ours.get("shadow_hits"), _shadow_hit),
    }


def _shadow_hit(entry: Record) -> Record:
    """{"key": "project:day", "project_id": ..., "date": ...}; the oldest have the key alone."""
    project_id, _, day = str(entry.get("key") or "").rpartition(":")
    return {"project_id": entry.get("project_id") or project_id, "day": entry.get("date") or day}


def _in_utc(value: object) -> object:
    """These versions write UTC, at times without saying so."""
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        return value
    return value if moment.tzinfo else moment.replace(tzinfo=UTC).isoformat()


# Versions 6 to 10

NEWER_NAMES = {
    "trigger": "trigger_canonical",
    "trigger_zh": "trigger_canonical_zh",
    "action": "action_instruction",
    "action_zh": "action_instruction_zh",
    "variants": "trigger_variants",
    "variants_zh": "trigger_variants_zh",
    "excludes": "excluded_contexts",
    "superseded_by": "replacement_id",
    "source_type": "severity",
    "confidence": "severity",
}
NEWER_STATUSES = {
    "candidate": Status.CANDIDATE,
    "active": Status.ACTIVE,
    "trusted": Status.ACTIVE,
    "suppressed": Status.DORMANT,
    "archived": Status.ARCHIVED,
}
SEVERITIES = {
    "reminder": (SourceType.SOLUTION, Confidence.MEDIUM),
    "high_risk": (SourceType.CORRECTION, Confidence.HIGH),
    "gate_eligible": (SourceType.CORRECTION, Confidence.HIGH),
}
REGEX_MODES = ("regex", "tool_pattern")  # patterns that are no phrases


def _translate_newer(raw: Record) -> Record:
    ours = _renamed(raw, NEWER_NAMES)
    severity = raw.get("severity") or "reminder"
    source_type, confidence = SEVERITIES.get(str(severity), (severity, severity))
    status = raw.get("status") or Status.CANDIDATE
    return {
        **ours,
        "status": NEWER_STATUSES.get(str(status), status),
        "source_type": source_type,
        "confidence": confidence,
        "variants": _texts(ours.get("variants")),
        "variants_zh": _texts(ours.get("variants_zh")),
        "excludes": _phrases(ours.get("excludes")),
    }


def _texts(variants: object) -> object:
    """A variant is text, or a table that holds it beside its weight."""
    return _each(variants, lambda entry: entry.get("text"))


def _phrases(contexts: object) -> object:
    """The phrases of all contexts, as many as a rule can hold; patterns of other kinds have no place here."""
    if not isinstance(contexts, list):
        return contexts
    plain = [entry for entry in contexts if isinstance(entry, Mapping) and entry.get("match_mode") not in REGEX_MODES]
    lists = [entry["patterns"] for entry in plain if isinstance(entry.get("patterns"), list)]
    phrases = [phrase for phrase in chain(*lists) if isinstance(phrase, str) and len(phrase) <= MAX_PHRASE]
    return list(dict.fromkeys(phrases))[:MAX_PHRASES]


# Both


def _renamed(raw: Record, names: Mapping[str, str]) -> dict[str, Any]:
    ours = {theirs: column for column, theirs in names.items() if "." not in column}
    return {ours.get(name, name): value for name, value in raw.items() if name not in names or name in ours}


def _each(value: object, change: Callable[[Record], object]) -> object:
    """A list with its tables changed; other entries, and what is no list, stay for the reader to refuse."""
    if not isinstance(value, list):
        return value
    return [change(entry) if isinstance(entry, Mapping) else entry for entry in value]


OURS = Dialect(source="an export of this program", translate=_as_it_is)
OLDER = Dialect(source="an export of version 2 to 5", translate=_translate_older, names=OLDER_NAMES)
NEWER = Dialect(
    source="an export of version 6 to 10",
    translate=_translate_newer,
    names=NEWER_NAMES,
    replaced_is_merged=True,
    knows_hits=False,
)
