"""The Django application `nokori_site`: installed so that it may own commands and static files."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy

from nokori_site.database import OUR_APPS, remember_opened
from nokori_site.pragmas import check_pragmas

UNCOUNTABLE = {"evidences": "evidence"}


class NokoriSiteConfig(AppConfig):
    name = "nokori_site"

    def ready(self) -> None:
        connection_created.connect(check_pragmas)
        connection_created.connect(remember_opened)
        _let_names_be_translated()


def _let_names_be_translated() -> None:
    """The names of models and columns, as the admin shows them; nokori_site.wording lists them for translators."""
    configs = [apps.get_app_config(label) for label in OUR_APPS]
    for config in configs:
        config.verbose_name = gettext_lazy(str(config.verbose_name))
    for model in [model for config in configs for model in config.get_models()]:
        model._meta.verbose_name = gettext_lazy(str(model._meta.verbose_name))
        plural = str(model._meta.verbose_name_plural)
        model._meta.verbose_name_plural = gettext_lazy(UNCOUNTABLE.get(plural, plural))
        for column in model._meta.fields:
            column.verbose_name = gettext_lazy(str(column.verbose_name))
