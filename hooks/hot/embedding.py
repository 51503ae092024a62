"""A prompt's words > what the embed server finds near them; or nothing, with the reason noted and a server on its way.

The question goes out before the search is even loaded, and the answer is read once the words are looked up. Embeddings
are on by setting, or when the pool that this prompt is matched with holds enough rules.
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
    TooFewRules,
    read_answer,
    send_prompt,
)
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


def ask_for_meaning(call: Call, words: str) -> LateBlend | None:
    """None where meaning is not asked for. The server has the count of rules, so that no index is opened for it here."""
    if not words or len(words) > MAX_MEANT or not call.published.may_embed:
        return None
    try:
        asked = send_prompt(
            words,
            folder=call.folder,
            project_id=call.project_id,
            version=call.published.version,
            wait_ms=wait_ms(call.published),
            least_rules=0 if call.published.settings.embed_enabled == ON else ENOUGH_RULES,
        )
    except ServerSilent as silent:
        return LateBlend(call, type(silent))
    return LateBlend(call, asked)


class LateBlend:
    """An answer that is on its way, or why there is none: what a Blend is, once it is there.

    The reason is kept as its class: an error would keep the frames that it went through, and with them the open index.
    """

    __slots__ = ("_asked", "_call")

    def __init__(self, call: Call, asked: Asked | type[ServerSilent]) -> None:
        self._call = call
        self._asked = asked

    def over(self, matched: MatchedPrompt, prompt: str, *, floor: float, is_listing: bool) -> Overlay | None:
        """None when the server does not answer in time, and where its answer says nothing."""
        answer = self.answer(matched.index)
        if answer is None:
            return None
        from retrieval.lexical.meaning import Blend  # noqa: PLC0415  only with an answer; the search is loaded by then

        blend = Blend(answer, order=self._call.published.settings.embed_fusion)
        return blend.over(matched, prompt, floor=floor, is_listing=is_listing)

    def answer(self, index: Index) -> DenseAnswer | None:
        """Waits for what is left of the time. A server that is not there is wanted only where there are enough rules."""
        if isinstance(self._asked, type):
            self._miss(self._asked, index)
            return None
        try:
            answer = read_answer(self._asked.receive())
        except ServerSilent as silent:
            self._miss(type(silent), index)
            return None
        self._call.told["embed"] = answer.model_id
        return answer

    def _miss(self, reason: type[ServerSilent], index: Index) -> None:
        call = self._call
        if reason is TooFewRules or not is_on(call.published, index=index, project_id=call.project_id):
            return
        call.told["embed"] = reason.__name__
        if reason in (ServerMissing, ServerLate, ServerStale):
            _want_server(call)


def is_on(published: Published, *, index: Index, project_id: str) -> bool:
    return published.may_embed and (
        published.settings.embed_enabled == ON or index.has_visible(ENOUGH_RULES, project_id=project_id)
    )


def wait_ms(published: Published) -> int:
    default = REMOTE_WAIT_MS if published.embed_backend == REMOTE else LOCAL_WAIT_MS
    return published.settings.hook_embed_wait_ms or default


def _want_server(call: Call) -> None:
    if not call.published.settings.embed_server_auto_start:
        return
    if seconds_since(call.folder, EMBED_ASKED, now=call.now) < PAUSE_SECONDS:
        return
    add_stamp(call.folder, EMBED_ASKED)
    call.settle()
