"""The Django application `nokori_site`: installed so that it may own commands and static files."""

from __future__ import annotations

from django.apps import AppConfig


class NokoriSiteConfig(AppConfig):
    name = "nokori_site"
