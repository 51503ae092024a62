"""The states of a job as the pages say them, for the translators; a page says them by its filter `word`."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

STATES = (_("pending"), _("running"), _("done"), _("failed"), _("dead"))
