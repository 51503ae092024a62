"""A submitted prompt: search > injection, gate marker, session, note > what the agent is to know besides.

Text that no person typed is not searched with, retires nothing, and leaves the gate as it is.
"""

from __future__ import annotations

from hooks.hot.arming import arm_gate
from hooks.hot.coalesce import claim
from hooks.hot.dismiss import obey, tombstones
from hooks.hot.events import CURSOR, MAX_OUTPUT, PASS, Reply
from hooks.hot.injection import is_chinese, render_injection
from hooks.hot.markers import MarkerUnreadable, clear_marker, keep_through
from hooks.hot.sessions import save_session, session_of
from hooks.hot.spool import leave_note, note_of
from retrieval.lexical.results import Tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooks.hot.call import Call
    from hooks.hot.dismiss import Obeyed
    from hooks.hot.embedding import LateBlend
    from hooks.hot.injection import Injection
    from hooks.hot.markers import Marker
    from hooks.hot.sessions import Session
    from retrieval.lexical.results import Hits


def on_prompt(call: Call) -> Reply:
    event, settings = call.event, call.published.settings
    if settings.hook_coalesce and not claim(event, folder=call.folder, now=call.now):
        return PASS
    session = session_of(call)
    if event.is_machine_text:
        return _pass_machine_text(call, session)
    obeyed = obey(call, session)
    hits = _find_rules(call, obeyed.rest, meant=_ask_for_meaning(call, obeyed.rest))
    injection = render_injection(
        hits.formal,
        session=session,
        budget_chars=min(settings.max_injection_chars, MAX_OUTPUT - len(obeyed.confirmation) - 1),
        verb=settings.dismiss_phrase,
        is_chinese=is_chinese(obeyed.rest),
    )
    marker = _replace_marker(call, injection)
    _remember(call, session, injection)
    _report(call, injection=injection, hits=hits, obeyed=obeyed, marker=marker)
    return Reply(context="\n".join(filter(None, (obeyed.confirmation, injection.text))))


def _ask_for_meaning(call: Call, words: str) -> LateBlend | None:
    """Most of what it takes to ask an embed server is loaded only where there may be one."""
    if call.is_cheap or not call.published.may_embed:
        return None
    from hooks.hot.embedding import ask_for_meaning

    return ask_for_meaning(call, words)


def _find_rules(call: Call, words: str, *, meant: LateBlend | None) -> Hits:
    """The search is loaded while the embed server works."""
    from hooks.hot.lookup import find_rules

    return find_rules(call, words, hidden=tombstones(call.folder), meant=meant)


def _pass_machine_text(call: Call, session: Session) -> Reply:
    with call.tolerating(OSError, MarkerUnreadable):
        keep_through(call.folder, call.event)
    if call.event.host == CURSOR:  # its tool hooks ask whether the prompt came by
        session.prompt_key = call.event.prompt_key
        with call.tolerating(OSError):
            save_session(call.folder, session, call.event, now=call.now)
    _leave_prompt_note(call, machine=True)
    return PASS


def _replace_marker(call: Call, injection: Injection) -> Marker | None:
    event = call.event
    with call.tolerating(OSError):
        clear_marker(call.folder, event.session_id)
        return arm_gate(event, injection.shown, folder=call.folder, settings=call.published.settings, now=call.now)
    return None


def _remember(call: Call, session: Session, injection: Injection) -> None:
    session.prompt_key = call.event.prompt_key
    for rule in injection.shown:
        session.remember(rule.document.short_id, rule_id=rule.document.rule_id, is_full=rule.is_full, now=call.now)
    with call.tolerating(OSError):
        save_session(call.folder, session, call.event, now=call.now)


def _report(call: Call, *, injection: Injection, hits: Hits, obeyed: Obeyed, marker: Marker | None) -> None:
    """The note, the log's facts, and a settle when the next prompt must see what changed."""
    reactivated = [hit for hit in hits.formal if hit.reactivates]
    _leave_prompt_note(
        call,
        shown=[
            {
                "rule_id": rule.document.rule_id,
                "short_id": rule.document.short_id,
                "level": rule.tier,
                "full": rule.is_full,
            }
            for rule in injection.shown
        ],
        shadow=_shadow_facts(call, hits),
        reactivated=[{"rule_id": hit.document.rule_id, "level": hit.tier} for hit in reactivated],
        dismissed=[{"rule_id": rule_id, "short_id": short_id} for short_id, rule_id in obeyed.retired.items()],
        armed=marker.short_id if marker else None,
    )
    call.told["hits"] = len(hits.formal)
    call.told["tiers"] = ",".join(f"{rule.tier}:{rule.document.short_id}" for rule in injection.shown)
    call.told["gate"] = f"armed:{marker.short_id}" if marker else ""
    if reactivated or obeyed.retired:
        call.settle()


def _shadow_facts(call: Call, hits: Hits) -> list[dict[str, str]]:
    """A hit counts for promotion by the project it came from, so without a project there is nothing to count."""
    if not call.published.settings.promotion_enabled or not call.project_id:
        return []
    return [{"rule_id": hit.document.rule_id, "level": hit.tier} for hit in hits.shadow if hit.tier != Tier.COLD]


def _leave_prompt_note(call: Call, *, machine: bool = False, **facts: object) -> None:
    blank: dict[str, object] = {"shown": [], "shadow": [], "reactivated": [], "dismissed": [], "armed": None}
    note = note_of(call, "prompt", prompt_key=call.event.prompt_key, machine=machine, **{**blank, **facts})
    with call.tolerating(OSError):
        leave_note(call.folder, note)
