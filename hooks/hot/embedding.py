"""A prompt's words > what the embed server finds near them; or nothing, with the reason noted and a server on its way.

The question goes out before the words are matched, and the answer is read after that: both work at the same time. Embeddings are on by setting, or when the pool that this prompt is matched with holds enough rules.
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
    read_answer,
    send_prompt,
)
from retrieval.lexical.meaning import Blend
from retrieval.lexical.search import pool_of
from rules.fields import ON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.call import Call
    from hooks.hot.published import Published
    from retrieval.lexical.embed_client import Asked
    from retrieval.lexical.matching import MatchedPrompt
    from retrieval.lexical.meaning import Overlay
    from retrieval.lexical.packed import Index
    from retrieval.lexical.results import DenseAnswer

PAUSE_SECONDS = 60.0  # between two requests for a server
ENOUGH_RULES = 20  # README "Embedding": from here on by itself
MAX_MEANT = 2_000  # characters; more is a paste, which means many things at once and is matched by its words
REMOTE = "remote"  # a backend, as retrieval/embeddings/backends.py names it


def ask_for_meaning(call: Call, words: str, *, index: Index) -> LateBlend | None:
    """Asks the server; None where it is not to be asked, or nobody listens: match the prompt by its words alone."""
    if len(words) > MAX_MEANT or not is_on(call.published, index=index, project_id=call.project_id):
        return None
    try:
        asked = send_prompt(
            words,
            folder=call.folder,
            project_id=call.project_id,
            version=call.published.version,
            wait_ms=wait_ms(call.published),
        )
    except ServerSilent as silent:
        _report_silence(call, silent)
        return None
    return LateBlend(call, asked)


class LateBlend:
    """An answer that is on its way: what a Blend is, once it is there."""

    __slots__ = ("_asked", "_call")

    def __init__(self, call: Call, asked: Asked) -> None:
        self._call = call
        self._asked = asked

    def over(self, matched: MatchedPrompt, prompt: str, *, floor: float, is_listing: bool) -> Overlay | None:
        """None when the server does not answer in time, and where its answer says nothing."""
        answer = self.answer()
        if answer is None:
            return None
        blend = Blend(answer, order=self._call.published.settings.embed_fusion)
        return blend.over(matched, prompt, floor=floor, is_listing=is_listing)

    def answer(self) -> DenseAnswer | None:
        """Waits for what is left of the time."""
        try:
            answer = read_answer(self._asked.receive())
        except ServerSilent as silent:
            _report_silence(self._call, silent)
            return None
        self._call.told["embed"] = answer.model_id
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


def _report_silence(call: Call, silent: ServerSilent) -> None:
    call.told["embed"] = type(silent).__name__
    if isinstance(silent, (ServerMissing, ServerLate, ServerStale)):
        _want_server(call)


def _want_server(call: Call) -> None:
    if not call.published.settings.embed_server_auto_start:
        return
    if seconds_since(call.folder, EMBED_ASKED, now=call.now) < PAUSE_SECONDS:
        return
    add_stamp(call.folder, EMBED_ASKED)
    call.settle()
