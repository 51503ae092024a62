"""A prompt's words > Hits from the published index; or none, with the reason noted and the remedy under way."""

from __future__ import annotations

import os

from hooks.hot.call import ASKED
from hooks.hot.stamps import count_stamps
from retrieval.lexical.packed import BASE_FILE, Index
from retrieval.lexical.results import Hits
from retrieval.lexical.search import search
from retrieval.lexical.segment import IndexUnreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.call import Call
    from retrieval.lexical.search import Meant


MAX_SEARCHED = 100_000  # characters; of a longer prompt its beginning and its end are searched with
NO_HITS = Hits(formal=(), shadow=(), floor=0.0, is_long=False)


class IndexMissing(LookupError):
    """No index is published, though a settle was asked to publish one."""


def find_rules(call: Call, words: str, *, hidden: frozenset[str], meant: Meant | None = None) -> Hits:
    """hidden are the short_ids of rules that stay silent; `meant` is what was asked of the embed server."""
    if call.is_cheap or not words:
        return NO_HITS
    try:
        with Index.open(call.folder.published) as index:
            return search(_clipped(words), index=index, project_id=call.project_id, hidden=hidden, blend=meant)
    except IndexUnreadable as error:
        _ask_for_index(call, error)
        return NO_HITS


def published_rules(call: Call) -> dict[str, str]:
    """short_id > rule_id of every published rule; reads the whole index."""
    try:
        with Index.open(call.folder.published) as index:
            return {document.short_id: document.rule_id for document in index.documents()}
    except IndexUnreadable as error:
        _ask_for_index(call, error)
        return {}


def _ask_for_index(call: Call, error: Exception) -> None:
    """A missing index is a failure only when asking for one did not help; a damaged one always is."""
    is_missing = not os.path.exists(os.path.join(call.folder.published, BASE_FILE))
    was_asked = count_stamps(call.folder, ASKED) > 0
    is_asking = call.settle_if_not_asked()
    if not is_missing:
        call.failures.append(error)
    elif was_asked and is_asking:
        call.failures.append(IndexMissing(f"published/{BASE_FILE} is still missing"))


def _clipped(words: str) -> str:
    if len(words) <= MAX_SEARCHED:
        return words
    half = MAX_SEARCHED // 2
    return f"{words[:half]}\n{words[-half:]}"
