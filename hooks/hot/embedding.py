"""A prompt's words > what the embed server finds near them; or nothing, with the reason noted and a server on its way.

Embeddings are on by setting, or when the pool that this prompt is matched with holds enough rules.
"""

from __future__ import annotations

from hooks.hot.stamps import EMBED_ASKED, add_stamp, seconds_since
from retrieval.lexical.embed_client import (
    LOCAL_WAIT_MS,
    REMOTE_WAIT_MS,
    ServerLate,
    ServerMissing,
    ServerSilent,
    ServerStale,
    ask,
)
from retrieval.lexical.meaning import Blend
from retrieval.lexical.search import pool_of
from rules.fields import ON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.call import Call
    from hooks.hot.published import Published
    from retrieval.lexical.packed import Index
    from retrieval.lexical.results import DenseAnswer

PAUSE_SECONDS = 60.0  # between two requests for a server
ENOUGH_RULES = 20  # README "Embedding": from here on by itself
MAX_MEANT = 2_000  # characters; more is a paste, which means many things at once and is matched by its words
REMOTE = "remote"  # a backend, as retrieval/embeddings/backends.py names it


def blend_for(call: Call, words: str, *, index: Index) -> Blend | None:
    """What lays the server's answer over the matches by words; None: match the prompt by its words alone."""
    answer = dense_answer(call, words, index=index)
    return None if answer is None else Blend(answer, order=call.published.settings.embed_fusion)


def dense_answer(call: Call, words: str, *, index: Index) -> DenseAnswer | None:
    """None where the server is not asked, or does not answer in time."""
    if len(words) > MAX_MEANT or not is_on(call.published, index=index, project_id=call.project_id):
        return None
    try:
        answer = ask(
            words,
            folder=call.folder,
            project_id=call.project_id,
            version=call.published.version,
            wait_ms=wait_ms(call.published),
        )
    except ServerSilent as silent:
        call.told["embed"] = type(silent).__name__
        if isinstance(silent, (ServerMissing, ServerLate, ServerStale)):
            _ask_for_server(call)
        return None
    call.told["embed"] = answer.model_id
    return answer


def is_on(published: Published, *, index: Index, project_id: str) -> bool:
    return published.may_embed and (published.settings.embed_enabled == ON or _has_enough_rules(index, project_id))


def wait_ms(published: Published) -> int:
    default = REMOTE_WAIT_MS if published.embed_backend == REMOTE else LOCAL_WAIT_MS
    return published.settings.hook_embed_wait_ms or default


def _has_enough_rules(index: Index, project_id: str) -> bool:
    if index.rule_count < ENOUGH_RULES:
        return False
    visible = 0
    for number in index.numbers():
        visible += pool_of(number, index=index, project_id=project_id) != 0
        if visible == ENOUGH_RULES:
            return True
    return False


def _ask_for_server(call: Call) -> None:
    if not call.published.settings.embed_server_auto_start:
        return
    if seconds_since(call.folder, EMBED_ASKED, now=call.now) < PAUSE_SECONDS:
        return
    add_stamp(call.folder, EMBED_ASKED)
    call.settle()
