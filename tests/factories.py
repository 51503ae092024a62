"""Objects that tests start from, complete and unremarkable: make_rule(**changes)."""

from datetime import UTC, datetime

from rules.models import Rule

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def rule_values(**changes):
    """The columns of an active global correction, with changes."""
    values = {
        "trigger": "Force pushing to a shared branch",
        "action": "Use --force-with-lease, or push to a new branch",
        "source_type": "correction",
        "confidence": "high",
        "status": "active",
        "status_since": NOW,
        "project_scope": "project" if changes.get("project_id") else "global",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return values | changes


def make_rule(**changes):
    return Rule.objects.create(**rule_values(**changes))
