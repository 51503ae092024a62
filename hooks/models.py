"""What the hooks did, as rows: sessions, gate decisions, failures, daily counts, and which notes are filed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from hooks.latency import quantile_ms

if TYPE_CHECKING:
    from datetime import datetime

ID_LENGTH = 255  # characters of an id that came from outside, as in rules
NOTE_ID_LENGTH = 128
ANY_HOST = ""  # a stamp counts calls of every host together


class AgentSessionQuerySet(models.QuerySet["AgentSession"]):
    def open(self) -> AgentSessionQuerySet:
        return self.filter(ended_at=None)

    def ended(self) -> AgentSessionQuerySet:
        return self.exclude(ended_at=None)

    def matching(self, *, host: str, project_id: str, is_open: bool | None) -> AgentSessionQuerySet:
        """An empty word and None wish nothing."""
        rows = self.filter(**{name: word for name, word in (("host", host), ("project_id", project_id)) if word})
        return rows if is_open is None else rows.filter(ended_at__isnull=is_open)


class AgentSession(models.Model):
    """One conversation with an agent, from its first sign of life to its end. A resumed one opens again."""

    session_id = models.CharField(max_length=ID_LENGTH, unique=True)
    host = models.CharField(max_length=32, blank=True)
    project_id = models.CharField(max_length=255, blank=True)
    cwd = models.CharField(max_length=4096, blank=True)
    transcript_path = models.CharField(max_length=4096, blank=True)
    source = models.CharField(max_length=32, blank=True)
    started_at = models.DateTimeField()
    last_activity = models.DateTimeField(db_index=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=64, blank=True)

    objects = AgentSessionQuerySet.as_manager()

    def __str__(self) -> str:
        return self.session_id


class HookFailureQuerySet(models.QuerySet["HookFailure"]):
    def since(self, moment: datetime) -> HookFailureQuerySet:
        return self.filter(at__gte=moment)


class HookFailure(models.Model):
    """Something a hook, or the filing of its note, could not do. The agent went on; `health` shows it."""

    event = models.CharField(max_length=32, blank=True)
    host = models.CharField(max_length=32, blank=True)
    error = models.CharField(max_length=100)
    message = models.CharField(max_length=500, blank=True)
    is_deadline = models.BooleanField(default=False)
    at = models.DateTimeField(db_index=True)
    note_id = models.CharField(max_length=NOTE_ID_LENGTH, unique=True)

    objects = HookFailureQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.event} {self.error}: {self.message}"


class GateDecision(models.Model):
    """What the gate said to one tool call that met a marker."""

    class Answer(models.TextChoices):
        DENY = "deny"
        PASSED = "passed"
        EXPIRED = "expired"
        MISMATCH = "mismatch"
        SUB_AGENT = "sub_agent"
        CORRUPT = "corrupt"

    rule = models.ForeignKey("rules.Rule", models.SET_NULL, null=True, related_name="gate_decisions")
    short_id = models.CharField(max_length=32, blank=True)  # still tells which rule it was when the row is gone
    session_id = models.CharField(max_length=ID_LENGTH, db_index=True)
    answer = models.CharField(max_length=16, choices=Answer)
    tool_name = models.CharField(max_length=200, blank=True)
    tool_use_id = models.CharField(max_length=ID_LENGTH, blank=True)
    same_tool = models.BooleanField(null=True)
    at = models.DateTimeField(db_index=True)
    note_id = models.CharField(max_length=NOTE_ID_LENGTH, unique=True)

    def __str__(self) -> str:
        return f"{self.answer} {self.short_id} {self.tool_name}"


class HookCallQuerySet(models.QuerySet["HookCall"]):
    def counted(self) -> HookCallQuerySet:
        """Every call, of all hosts together, as the stamps tell; these rows know no milliseconds."""
        return self.filter(host=ANY_HOST)

    def timed(self) -> HookCallQuerySet:
        """The calls that left a note, by host, with their milliseconds; a silent pre-tool-use leaves none."""
        return self.exclude(host=ANY_HOST)


class HookCall(models.Model):
    """The calls of one event on one local day. Add up `counted` or `timed` rows, never both."""

    day = models.DateField()
    event = models.CharField(max_length=32)
    host = models.CharField(max_length=32, blank=True)
    calls = models.PositiveIntegerField(default=0)
    total_ms = models.FloatField(default=0)
    slowest_ms = models.FloatField(default=0)
    buckets = models.JSONField(default=list)  # see hooks.latency
    last_at = models.DateTimeField()

    objects = HookCallQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["day", "event", "host"], name="hookcall_once_a_day")]

    def __str__(self) -> str:
        return f"{self.day} {self.event} {self.host}: {self.calls}"

    @property
    def p95_ms(self) -> float | None:
        """95 % of the timed calls took less; None without a timed call."""
        return quantile_ms(self.buckets, 0.95)


class FiledNote(models.Model):
    """A note that is in the rows already: filing it again changes nothing."""

    note_id = models.CharField(max_length=NOTE_ID_LENGTH, primary_key=True)
    filed_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.note_id
