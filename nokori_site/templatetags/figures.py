"""How numbers, times and ids look on every page: the one place that formats them. Filters take plain values, give text."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils import formats
from django.utils.html import format_html
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rules.projects import project_name

if TYPE_CHECKING:
    from django.template import Context
    from django.utils.safestring import SafeString

register = template.Library()
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
RELATIVE_DAYS = 30  # older than that, a date says more
WHOLE_FROM_MS = 10
KIB = 1024
NOTHING = "\N{EN DASH}"


@register.simple_tag(takes_context=True)
def ago(context: Context, moment: datetime | None) -> SafeString | str:
    """Such as "2 min ago", with the exact time on hover."""
    if moment is None:
        return NOTHING
    local = localtime(moment)
    exact = formats.date_format(local, "DATETIME_FORMAT")
    words = relative(context["now"] - moment) or formats.date_format(local, "DATE_FORMAT")
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat(), exact, words)


def relative(age: timedelta) -> str:
    """An age in words; empty when it is so old that a date says more. A clock that went back makes it "just now"."""
    if age < MINUTE:
        return _("just now")
    if age < HOUR:
        return _("%(count)d min ago") % {"count": age // MINUTE}
    if age < DAY:
        return _("%(count)d h ago") % {"count": age // HOUR}
    if age.days <= RELATIVE_DAYS:
        return ngettext("yesterday", "%(count)d days ago", age.days) % {"count": age.days}
    return ""


@register.simple_tag
def exact(moment: datetime | None) -> str:
    return formats.date_format(localtime(moment), "DATETIME_FORMAT") if moment else NOTHING


@register.filter
def count(number: float | None) -> str:
    """With the thousands apart."""
    if number is None:
        return NOTHING
    return formats.number_format(number, use_l10n=True, force_grouping=True)


@register.filter
def milliseconds(number: float | None) -> str:
    """Whole ones, from ten on."""
    if number is None:
        return NOTHING
    decimals = 0 if number >= WHOLE_FROM_MS else 1
    return formats.number_format(round(number, decimals), decimal_pos=decimals, force_grouping=True)


@register.filter
def score(number: float) -> str:
    """A number that a search computed, rounded as its reasons are; number_format alone cuts off."""
    return formats.number_format(round(number, 2), decimal_pos=2)


@register.filter
def size(number: int) -> str:
    if number < KIB:
        return f"{number} B"
    if number < KIB * KIB:
        return f"{number // KIB} KB"
    return f"{formats.number_format(number / KIB / KIB, decimal_pos=1)} MB"


@register.filter
def project(project_id: str) -> str:
    return project_name(project_id)


@register.filter
def word(value: str) -> str:
    """A status, type, scope or level in the reader's language; see nokori_site.wording."""
    known = _(value) if value else ""
    return known if known != value else value.replace("_", " ")


@register.simple_tag
def icon(name: str) -> SafeString:
    """A line icon of icons.svg, 16 px; it is decoration, the text beside it says what it is."""
    sheet = static("nokori/icons.svg")
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', sheet, name)


@register.simple_tag(takes_context=True)
def query(context: Context, **changes: Any) -> str:
    """The query string of this page with changes; None takes a parameter out. Page numbers start anew."""
    wish = context["request"].GET.copy()
    wish.pop("page", None)
    for name, value in changes.items():
        if value in (None, ""):
            wish.pop(name, None)
        else:
            wish[name] = value
    return f"?{wish.urlencode()}" if wish else "?"


@register.simple_tag
def language_names() -> dict[str, str]:
    return dict(settings.LANGUAGES)


@register.filter
def unlocalized(number: float) -> str:
    """For the geometry of a drawing, where a comma would be a mistake."""
    return f"{number:g}"


@register.filter
def host(name: str) -> str:
    """How a host calls itself."""
    return {"claude": "Claude Code", "cursor": "Cursor", "codex": "Codex"}.get(name, name)


@register.filter
def event(name: str) -> str:
    """An event in the middle of a sentence such as "prompt 2 min ago"."""
    words = {
        "user-prompt-submit": _("prompt"),
        "pre-tool-use": _("tool call"),
        "post-tool-use": _("tool result"),
        "session-start": _("session start"),
        "session-end": _("session end"),
    }
    return words.get(name, name)


@register.filter
def mover(name: str) -> str:
    """Who moved a rule, as the beginning of a caption."""
    words = {
        "command": _("by a command"),
        "chat": _("in the chat"),
        "page": _("on a page"),
        "prompt": _("by a prompt"),
        "maintenance": _("by maintenance"),
        "extraction": _("by extraction"),
        "evidence": _("by evidence"),
    }
    return words.get(name, name)


@register.filter
def duration(span: timedelta) -> str:
    """A round one, such as "7 days"."""
    if span >= DAY:
        return ngettext("%(count)d day", "%(count)d days", span.days) % {"count": span.days}
    if span >= HOUR:
        return ngettext("%(count)d hour", "%(count)d hours", span // HOUR) % {"count": span // HOUR}
    return ngettext("%(count)d minute", "%(count)d minutes", span // MINUTE) % {"count": span // MINUTE}
