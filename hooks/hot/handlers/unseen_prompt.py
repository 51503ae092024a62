"""A tool call whose prompt never came to its hook (Cursor) > that prompt's rules, told by denying the call once.

The prompt is read from the transcript and goes through the same steps as any other. Where the gate is off or the tool
is not one that it may block, the text waits for the next tool result instead.
"""

from __future__ import annotations

import os

from extraction.transcript_file import TranscriptError, last_human_texts, require_allowed
from hooks.hot.call import Call
from hooks.hot.gate import matches_tool
from hooks.hot.markers import Marker, save_marker
from hooks.hot.pending import hold
from hooks.hot.published import make_stemmer_importable
from hooks.hot.sessions import session_of
from hooks.hot.tool_pattern import PatternTooSlow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.events import HookEvent
    from hooks.hot.published import Settings
    from hooks.hot.sessions import Session

NEVER_DENIED = frozenset({"Read"})  # reading does no harm, and a turn often begins with it
DENY_CLOSING = (
    "---\nNokori paused this call once, so that the text above is read first: sent again, the same call passes."
)


def on_unseen_prompt(call: Call) -> None:
    event = call.event
    if not event.prompt_id or not event.has_session or session_of(call).prompt_key == event.prompt_id:
        return
    words = _words_of_prompt(event, call.published.settings)
    if not words:
        return
    make_stemmer_importable(call.published.stemmer_folder)
    from hooks.hot.handlers.prompt import on_prompt  # once a prompt, while this module is asked at every tool call

    prompt = _call_of_prompt(call, words)
    text = on_prompt(prompt).context
    session = session_of(prompt)
    if session.prompt_key != event.prompt_id:
        return  # another registration has it, or it could not be written down and would be told for ever
    with call.tolerating(OSError):
        _tell(call, text, session=session)


def _call_of_prompt(call: Call, words: str) -> Call:
    prompt = Call(
        call.event.as_prompt(words),
        folder=call.folder,
        published=call.published,
        now=call.now,
        started=call.started,
        is_cheap=call.is_cheap,
    )
    prompt.failures = call.failures
    prompt.told = call.told
    return prompt


def _tell(call: Call, text: str, *, session: Session) -> None:
    """By a deny when this very call may be denied, else with the next tool result."""
    shown_now = [(short_id, shown.rule_id) for short_id, shown in session.shown.items() if shown.at == call.now]
    if not shown_now or not _may_deny(call):
        hold(call.folder, call.event, text)
        return
    short_id, rule_id = shown_now[0]
    marker = Marker(
        session_id=call.event.session_id,
        prompt_ids=(call.event.prompt_id,),
        armed_at=call.now,
        rule_id=rule_id,
        short_id=short_id,
        tool_pattern="",
        reason=f"{text}\n{DENY_CLOSING}",
    )
    save_marker(call.folder, marker)


def _may_deny(call: Call) -> bool:
    settings, tool_name = call.published.settings, call.event.tool_name
    if call.event.event != "pre-tool-use" or not settings.gate_enabled or tool_name in NEVER_DENIED:
        return False
    with call.tolerating(PatternTooSlow):
        return matches_tool(settings.gate_matcher, tool_name)
    return False


def _words_of_prompt(event: HookEvent, settings: Settings) -> str:
    """The last words that a person typed; "" when they cannot be read (yet)."""
    roots = (settings.cursor_home, *settings.transcript_extra_roots.split(os.pathsep))
    try:
        texts = last_human_texts(require_allowed(event.transcript_path, roots), 1)
    except (OSError, TranscriptError):
        return ""
    return texts[-1] if texts else ""
