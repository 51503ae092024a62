"""The Django application `nokori_site`: installed so that it may own commands and static files."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from nokori_site.pragmas import check_pragmas


class NokoriSiteConfig(AppConfig):
    name = "nokori_site"

    def ready(self) -> None:
        connection_created.connect(check_pragmas)
