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
    # what health looks at, and how it stands
    *(
        _("configuration"),
        _("switch"),
        _("data folder"),
        _("disk"),
        _("database"),
        _("notes"),
        _("stemmer"),
        _("spool"),
    ),
    *(_("bad notes"), _("deadline"), _("plugin"), _("hosts"), _("calls"), _("endpoints"), _("llm endpoint")),
    *(
        _("embed endpoint"),
        _("redis"),
        _("embed server"),
        _("embed index"),
        _("registration"),
        _("registration cursor"),
    ),
    *(_("registration codex"), _("double registration"), _("matchers"), _("matchers cursor"), _("matchers codex")),
    *(_("other hooks"), _("project hooks"), _("managed hooks")),
    *(_("session-start"), _("user-prompt-submit"), _("pre-tool-use"), _("post-tool-use"), _("session-end")),
    *(_("ok"), _("note"), _("warn"), _("fail")),
    *(_("daily counts"), _("filed notes"), _("jobs"), _("runs"), _("freed pages")),
)

# Names of models and columns, as the admin shows them
NAMES = (
    *(
        _("rule"),
        _("rules"),
        _("id"),
        _("short id"),
        _("trigger"),
        _("variants"),
        _("search terms"),
    ),
    *(
        _("behavior"),
        _("action"),
        _("rationale"),
        _("trigger zh"),
        _("variants zh"),
        _("behavior zh"),
    ),
    *(
        _("action zh"),
        _("rationale zh"),
        _("excludes"),
        _("tool pattern"),
        _("source type"),
    ),
    *(
        _("confidence"),
        _("status"),
        _("status since"),
        _("project scope"),
        _("project id"),
    ),
    *(
        _("superseded by"),
        _("archived reason"),
        _("hit count"),
        _("last hit"),
        _("shadow hit count"),
    ),
    *(
        _("evidence score"),
        _("manual edit"),
        _("quote"),
        _("created at"),
        _("updated at"),
    ),
    *(
        _("activated at"),
        _("evidence"),
        _("ID"),
        _("kind"),
        _("points"),
        _("day"),
        _("at"),
    ),
    *(
        _("session id"),
        _("injection"),
        _("prompt key"),
        _("level"),
        _("is full"),
        _("note id"),
    ),
    *(
        _("shadow hit"),
        _("extract job"),
        _("extract jobs"),
        _("transcript path"),
        _("attempts"),
    ),
    *(
        _("last error"),
        _("payload"),
        _("transcript mtime"),
        _("start offset"),
        _("end offset"),
    ),
    *(
        _("counts"),
        _("checkpoint"),
        _("run"),
        _("agent session"),
        _("agent sessions"),
        _("host"),
    ),
    *(
        _("cwd"),
        _("source"),
        _("started at"),
        _("last activity"),
        _("ended at"),
        _("end reason"),
    ),
    *(
        _("gate decision"),
        _("answer"),
        _("tool name"),
        _("tool use id"),
        _("same tool"),
    ),
    *(
        _("hook failure"),
        _("hook failures"),
        _("event"),
        _("error"),
        _("message"),
        _("is deadline"),
    ),
    *(
        _("from status"),
        _("to status"),
        _("why"),
        _("by"),
        _("Hooks"),
    ),
)
