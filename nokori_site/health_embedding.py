"""Checks of matching by meaning: the embed server, and whether each rule has its vector.

Whatever is wrong here, prompts are matched by their words; so nothing of it is worse than a warning, save a server that is
set up and cannot work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from nokori_site.embed_standing import NO_BACKEND, look_at_embedding
from nokori_site.finding import Finding, State
from nokori_site.remedies import run
from nokori_site.version import VERSION
from retrieval.embeddings.control import HUNG
from retrieval.lexical.embed_client import READY, STARTING
from rules.fields import ON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nokori_site.config import Config
    from nokori_site.embed_standing import EmbedStanding
    from rules.disk import DataFolder

SERVER, INDEX = "embed server", "embed index"
BY_WORDS = gettext_noop("%(why)s; prompts are matched by their words")
INSTALL = gettext_noop(
    "For matching by meaning: pip install 'nokori[light-embed]', or set embed.base_url and embed.model."
)


def check_embedding(folder: DataFolder, *, config: Config) -> Iterator[Finding]:
    standing = look_at_embedding(folder, config=config)
    if standing.why_off == NO_BACKEND:
        is_wanted = config.embed_enabled == ON
        state = State.WARN if is_wanted else State.NOTE
        yield Finding(SERVER, state, _by_words(_(NO_BACKEND)), _(INSTALL) if is_wanted else "")
    elif standing.why_off:
        yield Finding(SERVER, State.NOTE, _("off: %(why)s") % {"why": _(standing.why_off)})
    else:
        yield _server_finding(standing, is_started_by_itself=config.embed_server_auto_start)
        yield _index_finding(standing)


def _server_finding(standing: EmbedStanding, *, is_started_by_itself: bool) -> Finding:
    server = standing.server
    if server.problem:
        return _problem_finding(server.problem)
    if server.state == HUNG:
        detail = _by_words(_("process %(pid)s does not answer") % {"pid": server.pid})
        return Finding(SERVER, State.FAIL, detail, _("Run: manage.py embed stop; the next prompt starts a new one."))
    if server.state == STARTING:
        return Finding(SERVER, State.OK, _("loads its model since %(seconds).0f s") % {"seconds": server.up_seconds})
    if server.state == READY:
        return _ready_finding(standing)
    if is_started_by_itself:
        return Finding(SERVER, State.OK, _("does not run; the next prompt or session starts it"))
    return Finding(SERVER, State.WARN, _by_words(_("does not run")), run("manage.py embed start"))


def _problem_finding(problem: str) -> Finding:
    """The sentence tells what is wrong up to its first semicolon, and what to do after it."""
    wrong, _, remedy = problem.rstrip(".").partition("; ")
    detail = _by_words(wrong)
    return Finding(SERVER, State.FAIL, detail, f"{remedy[:1].upper()}{remedy[1:]}." if remedy else "")


def _ready_finding(standing: EmbedStanding) -> Finding:
    server = standing.server
    if server.version != VERSION:
        detail = _("is of version %(version)s; the next prompt replaces it") % {"version": server.version}
        return Finding(SERVER, State.NOTE, detail)
    facts = {"model": server.model, "pid": server.pid, "place": server.place}
    return Finding(SERVER, State.OK, _("ready with %(model)s, process %(pid)s, at %(place)s") % facts)


def _index_finding(standing: EmbedStanding) -> Finding:
    if not standing.missing:
        facts: dict[str, object] = {"count": standing.rules, "model": standing.server.model}
        return Finding(INDEX, State.OK, _("all %(count)d rules have a vector of %(model)s") % facts)
    counts = {"missing": standing.missing, "count": standing.rules}
    detail = _("%(missing)d of %(count)d rules have no vector yet and are found by their words only") % counts
    if standing.server.is_indexing:
        return Finding(INDEX, State.NOTE, _("%(detail)s; they are being encoded") % {"detail": detail})
    return Finding(INDEX, State.WARN, detail, run("manage.py embed reindex"))


def _by_words(why: str) -> str:
    return _(BY_WORDS) % {"why": why}
