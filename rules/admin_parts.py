"""What the admins of all apps share: rows that are only looked at, for they tell what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

if TYPE_CHECKING:
    from django.db.models import Model
    from django.http import HttpRequest

    AnyModelAdmin = admin.ModelAdmin[Any]  # Any: rows of every model
else:
    AnyModelAdmin = admin.ModelAdmin  # has no type parameter when it runs


class ObservationAdmin(AnyModelAdmin):
    """A click changes nothing; actions may. Large tables are counted once a page."""

    show_full_result_count = False
    list_per_page = 50
    actions: Any = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
