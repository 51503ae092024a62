"""One candidate and its neighbours in, the rules changed: learned, confirmed, or put in another's place.

    A same          evidence for the existing rule; a plain correction activates a candidate at once
    B broader       the new rule takes the old one's place          C narrower   both stand
    D contradicts   the new rule takes the old one's place          E unrelated  both stand
With an A and no C nothing new is inserted, and what B and D replace goes to the rule that is the same. Asking the model
comes first; what follows from its answer is one transaction of the caller's.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from extraction.llm_errors import LlmReplyUnreadable
from extraction.prompts import relation_question
from extraction.replies import RelationsReply, read_reply
from rules.authoring import add_rule
from rules.drafts import RuleDraft
from rules.evidence import add_evidence
from rules.lifecycle import Confidence, EvidenceKind, Mover, Status, initial_status
from rules.models import Rule
from rules.redaction import redact
from rules.succession import Relation, supersede

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from extraction.candidates import Candidate
    from extraction.llm import Llm

SAME, BROADER, NARROWER, CONTRADICTS, UNRELATED = "ABCDE"
LETTERS = frozenset({SAME, BROADER, NARROWER, CONTRADICTS, UNRELATED})
REPLACING = {BROADER: Relation.BROADER, CONTRADICTS: Relation.CONTRADICTS}
BELIEVABLE_MANY = 3  # from that many neighbours on, they cannot all be the same or all be replaced


@dataclass(frozen=True)
class Origin:
    """Where a candidate comes from."""

    project_id: str
    session_id: str


@dataclass(frozen=True)
class Merged:
    """What one candidate came to, in numbers of rules."""

    inserted: int = 0
    confirmed: int = 0
    activated: int = 0
    superseded: int = 0
    unresolved: int = 0

    def __add__(self, other: Merged) -> Merged:
        return Merged(**{name: value + getattr(other, name) for name, value in asdict(self).items()})


def judge_relations(candidate: Candidate, neighbours: Sequence[Rule], *, llm: Llm) -> dict[str, str]:
    """short_id > letter, for every neighbour that the model spoke of; nobody is asked without neighbours.

    Raises LlmError; an answer that cannot be true counts as unreadable.
    """
    if not neighbours:
        return {}
    question = relation_question(_shown(candidate), [_shown_rule(rule) for rule in neighbours])
    reply = read_reply(llm.answer(question), RelationsReply)
    names = {rule.short_id for rule in neighbours}
    verdicts: dict[str, str] = {}
    for relation in reply.relationships:
        if relation.existing_id in names:
            verdicts.setdefault(relation.existing_id, relation.judgment)
    if not LETTERS.issuperset(verdicts.values()) or not _is_believable(verdicts, len(neighbours)):
        raise LlmReplyUnreadable("The model answered with judgments that cannot be true.")
    return verdicts


def apply_verdicts(candidate: Candidate, verdicts: Mapping[str, str], *, origin: Origin, now: datetime) -> Merged:
    """Carries the verdicts out. Must run inside a transaction; raises RuleRefused for a candidate that is no rule."""
    existing = (
        Rule.objects.select_for_update()
        .filter(short_id__in=verdicts)
        .exclude(status__in=[Status.MERGED, Status.ARCHIVED])
    )
    rules = {rule.short_id: rule for rule in existing}
    same = [rule for name, rule in rules.items() if verdicts[name] == SAME]
    merged = Merged()
    for rule in same:
        merged += _confirm(rule, candidate, origin=origin, now=now)
    anchor = next((rule for rule in same if rule.status == Status.ACTIVE), same[0] if same else None)
    if anchor is None or NARROWER in verdicts.values():
        new = add_rule(_draft(candidate, origin), by=Mover.EXTRACTION, now=now)
        merged += Merged(inserted=1)
        anchor = anchor or new
    for name, rule in rules.items():
        if verdicts[name] in REPLACING:
            merged += _replace(rule, anchor, relation=REPLACING[verdicts[name]], now=now)
    return merged


def _confirm(rule: Rule, candidate: Candidate, *, origin: Origin, now: datetime) -> Merged:
    is_plain = initial_status(candidate.source_type, candidate.confidence) == Status.ACTIVE
    if rule.status != Status.CANDIDATE or not is_plain:
        activated = add_evidence(rule, EvidenceKind.SAME_EXTRACTION, now=now, **asdict(origin))
        return Merged(confirmed=1, activated=int(activated))
    add_evidence(rule, EvidenceKind.USER_CORRECTION, now=now, **asdict(origin))
    if rule.status == Status.CANDIDATE:
        rule.move_to(Status.ACTIVE, why="corrected again in plain words", by=Mover.EXTRACTION, now=now)
    rule.confidence = Confidence.HIGH
    rule.save(update_fields=["confidence"])
    return Merged(confirmed=1, activated=1)


def _replace(old: Rule, new: Rule, *, relation: Relation, now: datetime) -> Merged:
    is_done = supersede(old, new, relation=relation, by=Mover.EXTRACTION, now=now)
    return Merged(superseded=1) if is_done else Merged(unresolved=1)


def _draft(candidate: Candidate, origin: Origin) -> RuleDraft:
    """Always a rule of its project: nothing that is learned is global from the start."""
    return replace(RuleDraft(**asdict(candidate)), project_id=origin.project_id)


def _is_believable(verdicts: Mapping[str, str], neighbours: int) -> bool:
    strong = {letter for letter in verdicts.values() if letter != UNRELATED}
    says_one_of_all = len(verdicts) == neighbours and len(set(verdicts.values())) == 1
    return not (neighbours >= BELIEVABLE_MANY and says_one_of_all and strong & {SAME, *REPLACING})


def _shown(candidate: Candidate) -> dict[str, object]:
    record = candidate.as_record()
    return {name: record[name] for name in ("trigger", "action", "variants", "behavior", "rationale", "source_type")}


def _shown_rule(rule: Rule) -> dict[str, object]:
    """A stored rule may be older than the redaction."""
    texts = {name: redact(text).text for name, text in (("trigger", rule.trigger), ("action", rule.action))}
    return {"existing_id": rule.short_id, **texts, "source_type": rule.source_type}
