"""Checks of matching by meaning: the embed server, and whether each rule has its vector.

Whatever is wrong here, prompts are matched by their words; so nothing of it is worse than a warning, save a server that is
set up and cannot work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nokori_site.embed_standing import NO_BACKEND, look_at_embedding
from nokori_site.finding import Finding, State
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
BY_WORDS = "prompts are matched by their words"
INSTALL = "For matching by meaning: pip install 'nokori[light-embed]', or set embed.base_url and embed.model."


def check_embedding(folder: DataFolder, *, config: Config) -> Iterator[Finding]:
    standing = look_at_embedding(folder, config=config)
    if standing.why_off == NO_BACKEND:
        is_wanted = config.embed_enabled == ON
        state = State.WARN if is_wanted else State.NOTE
        yield Finding(SERVER, state, f"{NO_BACKEND}; {BY_WORDS}", INSTALL if is_wanted else "")
    elif standing.why_off:
        yield Finding(SERVER, State.NOTE, f"off: {standing.why_off}")
    else:
        yield _server_finding(standing, is_started_by_itself=config.embed_server_auto_start)
        yield _index_finding(standing)


def _server_finding(standing: EmbedStanding, *, is_started_by_itself: bool) -> Finding:
    server = standing.server
    if server.problem:
        return _problem_finding(server.problem)
    if server.state == HUNG:
        detail = f"process {server.pid} does not answer; {BY_WORDS}"
        return Finding(SERVER, State.FAIL, detail, "Run: manage.py embed stop; the next prompt starts a new one.")
    if server.state == STARTING:
        return Finding(SERVER, State.OK, f"loads its model since {server.up_seconds:.0f} s")
    if server.state == READY:
        return _ready_finding(standing)
    if is_started_by_itself:
        return Finding(SERVER, State.OK, "does not run; the next prompt or session starts it")
    return Finding(SERVER, State.WARN, f"does not run; {BY_WORDS}", "Run: manage.py embed start")


def _problem_finding(problem: str) -> Finding:
    """The sentence tells what is wrong up to its first semicolon, and what to do after it."""
    wrong, _, remedy = problem.rstrip(".").partition("; ")
    detail = f"{wrong}; {BY_WORDS}"
    return Finding(SERVER, State.FAIL, detail, f"{remedy[:1].upper()}{remedy[1:]}." if remedy else "")


def _ready_finding(standing: EmbedStanding) -> Finding:
    server = standing.server
    if server.version != VERSION:
        return Finding(SERVER, State.NOTE, f"is of version {server.version}; the next prompt replaces it")
    return Finding(SERVER, State.OK, f"ready with {server.model}, process {server.pid}, at {server.place}")


def _index_finding(standing: EmbedStanding) -> Finding:
    if not standing.missing:
        return Finding(INDEX, State.OK, f"all {standing.rules} rules have a vector of {standing.server.model}")
    detail = f"{standing.missing} of {standing.rules} rules have no vector yet and are found by their words only"
    if standing.server.is_indexing:
        return Finding(INDEX, State.NOTE, f"{detail}; they are being encoded")
    return Finding(INDEX, State.WARN, detail, "Run: manage.py embed reindex")
