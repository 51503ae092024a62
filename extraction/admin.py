"""Extraction jobs in Django's admin: to look at; what was given up goes back into the queue by an action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin, messages
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from extraction.jobs import retry
from extraction.models import ExtractJob
from rules.admin_parts import ObservationAdmin

if TYPE_CHECKING:
    from django.http import HttpRequest

    from extraction.models import ExtractJobQuerySet


@admin.register(ExtractJob)
class ExtractJobAdmin(ObservationAdmin):
    list_display = ("created_at", "status", "attempts", "project_id", "transcript_path", "last_error")
    list_filter = ("status",)
    search_fields = ("transcript_path", "=session_id")
    ordering = ("-created_at",)
    actions = ("try_again",)

    @admin.action(description=_("Try again"))
    def try_again(self, request: HttpRequest, queryset: ExtractJobQuerySet) -> None:
        number = retry(queryset, now=timezone.now())
        messages.success(request, gettext("%(count)d back in the queue.") % {"count": number})
