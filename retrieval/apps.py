"""The Django application `retrieval`: publishes whatever changes in the pool of rules."""

from __future__ import annotations

from django.apps import AppConfig

from rules.signals import pool_changed


class RetrievalConfig(AppConfig):
    name = "retrieval"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        pool_changed.connect(publish_pool)


def publish_pool(**_: object) -> None:
    from retrieval.publish import publish_after_commit  # noqa: PLC0415  most processes change no rule, and all start

    publish_after_commit()
