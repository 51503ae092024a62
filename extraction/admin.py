"""Jobs and runs in Django's admin: to be looked at, and jobs that were given up put back into the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.utils import timezone

from extraction import jobs
from extraction.models import ExtractJob, ExtractRun

if TYPE_CHECKING:
    from django.http import HttpRequest

    from extraction.models import ExtractJobQuerySet

    JobModelAdmin = admin.ModelAdmin[ExtractJob]
    RunModelAdmin = admin.ModelAdmin[ExtractRun]
else:
    JobModelAdmin = RunModelAdmin = admin.ModelAdmin  # these have no type parameters when they run


class _LookOnly:
    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        return False


@admin.register(ExtractJob)
class ExtractJobAdmin(_LookOnly, JobModelAdmin):
    list_display = ("transcript_path", "status", "attempts", "project_id", "last_error", "updated_at")
    list_filter = ("status",)
    search_fields = ("transcript_path", "session_id", "project_id")
    ordering = ("-updated_at",)
    exclude = ("checkpoint", "payload")
    actions = ("try_again",)

    @admin.action(description="Try again what was given up", permissions=["view"])
    def try_again(self, request: HttpRequest, queryset: ExtractJobQuerySet) -> None:
        count = jobs.retry(queryset, now=timezone.now())
        messages.info(request, f"{count} jobs wait again; `extract` takes them up.")


@admin.register(ExtractRun)
class ExtractRunAdmin(_LookOnly, RunModelAdmin):
    list_display = ("started_at", "finished_at", "is_automatic", "summary")
    ordering = ("-started_at",)

    def get_actions(self, _request: HttpRequest) -> dict[str, Any]:
        return {}
