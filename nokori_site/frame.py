"""What every page's frame shows: menu, theme, language, and the moment that relative times count from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone

from nokori_site.access import is_let_in
from nokori_site.navigation import ENTRIES, section_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from nokori_site.navigation import Entry

THEMES = ("light", "dark", "auto")
THEME_COOKIE = "nokori_theme"
SHORT_LANGUAGES = {"en": "EN", "zh-hans": "简", "zh-hant": "繁", "ja": "日本語"}


@dataclass(frozen=True)
class MenuItem:
    """One entry as it stands in the sidebar; waiting: None for a page where nothing ever waits."""

    entry: Entry
    is_current: bool
    waiting: int | None


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context processor; a browser that is not let in gets a frame without a menu."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return {
        "now": timezone.now(),
        "theme": theme if theme in THEMES else "auto",
        "themes": THEMES,
        "short_languages": SHORT_LANGUAGES,
        "menu": _menu(section_of(request.path_info)) if _is_inside(request) else [],
    }


def _menu(section: str) -> list[MenuItem]:
    return [
        MenuItem(entry, entry.section == section, entry.count_waiting() if entry.count_waiting else None)
        for entry in ENTRIES
    ]


def _is_inside(request: HttpRequest) -> bool:
    return hasattr(request, "session") and is_let_in(request.session, settings.NOKORI_FOLDER)
