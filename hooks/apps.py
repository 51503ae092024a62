"""The Django application `hooks`: what agents did, and gates that never outlive their rule."""

from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings

from hooks.hot.gate import strip_markers
from rules.signals import pool_changed


class HooksConfig(AppConfig):
    name = "hooks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        pool_changed.connect(_disarm_gates, dispatch_uid="hooks.disarm_gates")


def _disarm_gates(rule_ids: frozenset[str], **_: object) -> None:
    strip_markers(settings.NOKORI_FOLDER, rule_ids)
