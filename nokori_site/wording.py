"""Words that are kept as they are in the database or in a table of the program, and translated where they are shown.

Each is listed here once, so that translators meet it; the filter `word` looks it up.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

WORDS = (
    # status
    *(_("candidate"), _("active"), _("dormant"), _("merged"), _("archived")),
    # type, confidence, scope
    *(_("correction"), _("preference"), _("solution"), _("anti_pattern")),
    *(_("high"), _("medium"), _("low"), _("project"), _("global")),
    # evidence
    *(_("user_correction"), _("same_extraction"), _("shadow_hot")),
    # why a rule moved
    *(_("put in use by hand"), _("laid to rest by hand"), _("dismissed by hand"), _("dismissal taken back")),
    _("a correction of high confidence is believed at once"),
    *(_("a prompt matched it as closely as HOT"), _("no hit for 30 days")),
    _("the rule that replaced it is not in use"),
    # maintenance, and what it did
    *(_("candidates"), _("unmerge"), _("injections"), _("shadow hits"), _("session files"), _("claims"), _("markers")),
    *(_("unreadable notes"), _("temporary files"), _("hook rows"), _("extraction rows"), _("logs"), _("space")),
    *(_("deleted"), _("unmerged"), _("put to sleep"), _("rotated"), _("sessions"), _("gate decisions"), _("failures")),
    *(_("daily counts"), _("filed notes"), _("jobs"), _("runs"), _("freed pages")),
)
