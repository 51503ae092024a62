"""Sessions, gate decisions and failures of hooks in Django's admin: to look at, for hooks alone write them."""

from __future__ import annotations

from django.contrib import admin

from hooks.models import AgentSession, GateDecision, HookFailure
from rules.admin_parts import ObservationAdmin


@admin.register(AgentSession)
class AgentSessionAdmin(ObservationAdmin):
    list_display = ("session_id", "host", "project_id", "started_at", "last_activity", "ended_at")
    list_filter = ("host", ("ended_at", admin.EmptyFieldListFilter))
    search_fields = ("^session_id", "^project_id")
    ordering = ("-last_activity",)


@admin.register(GateDecision)
class GateDecisionAdmin(ObservationAdmin):
    list_display = ("at", "answer", "short_id", "tool_name", "same_tool", "session_id")
    list_filter = ("answer",)
    search_fields = ("^short_id", "=session_id")
    ordering = ("-at",)


@admin.register(HookFailure)
class HookFailureAdmin(ObservationAdmin):
    list_display = ("at", "event", "host", "error", "message", "is_deadline")
    list_filter = ("event", "is_deadline")
    search_fields = ("error", "message")
    ordering = ("-at",)
