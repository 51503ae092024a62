"""Secrets out of rows that are older than the redaction: all rules are looked at, those that hold one are rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.models import Rule
from rules.redaction import redact, redact_value

if TYPE_CHECKING:
    from datetime import datetime

SCRUBBED = (
    *("trigger", "action", "rationale", "behavior", "quote", "variants", "search_terms", "excludes"),
    *("trigger_zh", "action_zh", "rationale_zh", "behavior_zh", "variants_zh"),
)


def scrub_rules(*, now: datetime) -> int:
    """Rewrites the rules that hold a secret and leaves every other one alone; returns how many it were."""
    scrubbed = 0
    for rule in Rule.objects.order_by("pk").iterator():
        changed = [name for name in SCRUBBED if _scrub(rule, name)]
        if changed:
            rule.updated_at = now
            rule.save(update_fields=[*changed, "updated_at"])
            scrubbed += 1
    return scrubbed


def _scrub(rule: Rule, name: str) -> bool:
    value = getattr(rule, name)
    if not redact(value if isinstance(value, str) else str(value)).secrets:
        return False
    setattr(rule, name, redact_value(value))
    return bool(getattr(rule, name) != value)
