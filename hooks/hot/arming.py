"""The rules that a prompt was shown > an armed gate, if one of them is HOT and of high risk.

The text of the deny is finished here: which rule, why, that the same call passes on retry, and how to retire the rule.
"""

from __future__ import annotations

from hooks.hot.events import MAX_OUTPUT
from hooks.hot.injection import retire_line, rule_paragraph
from hooks.hot.markers import Marker, save_marker
from retrieval.lexical.results import Tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooks.hot.events import HookEvent
    from hooks.hot.injection import ShownRule
    from hooks.hot.published import Settings
    from retrieval.lexical.results import Document
    from rules.disk import DataFolder

GATING_SOURCES = ("correction", "anti_pattern")  # README "Injection vs blocking"
GATING_CONFIDENCE = "high"


def arm_gate(
    event: HookEvent, shown: Iterable[ShownRule], *, folder: DataFolder, settings: Settings, now: float
) -> Marker | None:
    """Arms the gate for the shown rule that may block; None when there is none, or no session to tell calls by."""
    if not settings.gate_enabled or not event.has_session:
        return None
    for rule in shown:
        if rule.tier == Tier.HOT and may_gate(rule.document):
            marker = Marker(
                session_id=event.session_id,
                prompt_ids=(event.prompt_id,) if event.prompt_id else (),
                armed_at=now,
                rule_id=rule.document.rule_id,
                short_id=rule.document.short_id,
                tool_pattern=rule.document.tool_pattern,
                reason=deny_text(rule, verb=settings.dismiss_phrase),
            )
            save_marker(folder, marker)
            return marker
    return None


def may_gate(document: Document) -> bool:
    return (
        document.status == "active"
        and document.confidence == GATING_CONFIDENCE
        and document.source_type in GATING_SOURCES
    )


def deny_text(rule: ShownRule, *, verb: str) -> str:
    document = rule.document
    opening = (
        "Nokori paused this call once: the prompt resembles a recorded past correction.\n"
        f"Rule {document.short_id} ({document.source_type})"
    )
    closing = (
        f"The pause is for reading this rule: sent again, the same call passes.\n{retire_line(verb, document.short_id)}"
    )
    room = MAX_OUTPUT - len(opening) - len(closing) - 2
    return f"{opening}\n{rule_paragraph(rule.text)[:room]}\n{closing}"
