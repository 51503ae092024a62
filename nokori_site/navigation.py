"""The entries of the sidebar: a row for each page, with its icon and what waits for the reader there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from extraction.models import ExtractJob
from rules.models import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.utils.functional import _StrPromise


@dataclass(frozen=True)
class Entry:
    """route: the name of its URL. section: the first part of the path of every page below it; icon: a name in icons.svg."""

    route: str
    section: str
    label: _StrPromise
    icon: str
    count_waiting: Callable[[], int] | None = None


def count_candidates() -> int:
    return Rule.objects.candidates().count()


def count_given_up() -> int:
    return ExtractJob.objects.given_up().count()


ENTRIES = (
    Entry("dashboard", "", _("Dashboard"), "dashboard"),
    Entry("rules", "rules", _("Rules"), "rules"),
    Entry("review", "review", _("Review"), "review", count_candidates),
    Entry("retrieve", "retrieve", _("Retrieve"), "retrieve"),
    Entry("injections", "injections", _("Injections"), "injections"),
    Entry("extract", "extract", _("Extract"), "extract", count_given_up),
    Entry("lifecycle", "lifecycle", _("Lifecycle"), "lifecycle"),
    Entry("config", "config", _("Config"), "config"),
    Entry("logs", "logs", _("Logs"), "logs"),
)


def section_of(path: str) -> str:
    return path.strip("/").partition("/")[0]
