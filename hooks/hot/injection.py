"""Hits > the text for the agent's context, within a budget of characters, and the list of what really stands in it.

The text states facts about past corrections; it gives no orders and claims no user's words. Text of rules is data: it
is freed of control and bidirectional characters, and it cannot close the frame that a host puts around it.
"""

from __future__ import annotations

from hooks.hot.events import MAX_OUTPUT
from retrieval.lexical.results import Tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooks.hot.sessions import Session
    from retrieval.lexical.results import Document, Hit

HEADER = "Nokori rule memory: past corrections in situations like this prompt's, as background."
# Tags that hosts frame text with. A closing one is told by its form, so that HTML and `<branch-name>` stay readable.
GAP = r"[\s\u200c\u200d]{0,8}"
CLOSING_FRAME = rf"{GAP}/{GAP}(?:\w+[-_:]|system|human|user|assistant)"
OPENING_FRAME = rf"{GAP}(?:system|human|assistant|task-notification|user-prompt|session-start|command-|local-command)"
FRAME_HEADS = ("/", "system", "human", "assistant", "task-", "user-", "session-", "command-", "local-")  # after its <
FRAME_TAG = rf"<((?:{CLOSING_FRAME}|{OPENING_FRAME})[^<>]*)>?"
JOINERS = dict.fromkeys([0x200C, 0x200D])  # emoji and some scripts are written with them
LANGUAGE_SAMPLE = 2_000  # characters of a prompt that tell its language
UNSEEN = {
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)]),  # control characters
    **dict.fromkeys([0x061C, 0x200B, 0x200E, 0x200F, 0xFEFF, *range(0x202A, 0x202F), *range(0x2060, 0x2070)]),
    # fillers that show nothing
    **dict.fromkeys([0xAD, 0x034F, 0x115F, 0x1160, 0x180E, 0x3164, 0xFFA0, *range(0xFFF9, 0xFFFC)]),
    # tag characters and variation selectors, save those of emoji: text that only a model reads
    **dict.fromkeys([*range(0xFE00, 0xFE0E), *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0)]),
    **dict.fromkeys([0x09, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029], " "),
    0x0A: "\n",
}


class RuleText:
    """What is said of a rule, in the prompt's language, safe to show."""

    __slots__ = ("action", "rationale", "trigger")

    def __init__(self, document: Document, *, is_chinese: bool) -> None:
        self.trigger = sanitize(_in_language(document.trigger, document.trigger_zh, is_chinese=is_chinese))
        self.action = sanitize(_in_language(document.action, document.action_zh, is_chinese=is_chinese))
        self.rationale = sanitize(_in_language(document.rationale, document.rationale_zh, is_chinese=is_chinese))


class ShownRule:
    """A rule that stands in the text: how close it was, and whether its whole text was given."""

    __slots__ = ("document", "is_full", "text", "tier")

    def __init__(self, document: Document, *, tier: str, text: RuleText, is_full: bool) -> None:
        self.document = document
        self.tier = tier
        self.text = text
        self.is_full = is_full


class Injection:
    __slots__ = ("shown", "text")

    def __init__(self, *, text: str = "", shown: tuple[ShownRule, ...] = ()) -> None:
        self.text = text
        self.shown = shown


def render_injection(
    hits: Iterable[Hit], *, session: Session, budget_chars: int, verb: str, is_chinese: bool
) -> Injection:
    """HOT before WARM. A rule whose whole text the session has, or that does not fit in full, gets its short line;
    the first one whose line does not fit either ends the list. The budget counts every character, frame included.
    """
    tiered = [hit for hit in hits if hit.tier in (Tier.HOT, Tier.WARM)]
    tiered.sort(key=lambda hit: hit.tier != Tier.HOT)  # stable: best first within a tier
    if not tiered:
        return Injection()
    footer = retire_line(verb, tiered[0].document.short_id)
    room = min(budget_chars, MAX_OUTPUT) - len(HEADER) - len(footer) - 1
    lines: list[str] = []
    shown: list[ShownRule] = []
    for hit in tiered:
        line, rule = _fitting(hit, room=room - 1, session=session, is_chinese=is_chinese)
        if not line:
            break
        room -= len(line) + 1
        lines.append(line)
        shown.append(rule)
    text = "\n".join([HEADER, *lines, footer]) if shown else ""
    return Injection(text=text, shown=tuple(shown))


def retire_line(verb: str, short_id: str) -> str:
    return f"(A user retires an outdated rule by writing `{verb} {short_id}` alone on a line.)"


def rule_paragraph(text: RuleText) -> str:
    """Trigger, action and, if there is one, rationale; each keeps its lines, set in."""
    parts = [f"  situation: {_set_in(text.trigger)}", f"  settled on: {_set_in(text.action)}"]
    if text.rationale:
        parts.append(f"  because: {_set_in(text.rationale)}")
    return "\n".join(parts)


def sanitize(text: str) -> str:
    text = text.translate(UNSEEN)
    if any(part.translate(JOINERS).lstrip().casefold().startswith(FRAME_HEADS) for part in text.split("<")[1:]):
        import re  # noqa: PLC0415  6 ms, and few rules hold what looks like a frame

        text = re.sub(FRAME_TAG, r"&lt;\1&gt;", text, flags=re.IGNORECASE)
    return text.strip()


def is_chinese(text: str) -> bool:
    """Han characters and no kana: Japanese is written with both."""
    has_han = False
    for character in text[:LANGUAGE_SAMPLE]:
        if "\u3040" <= character <= "\u30ff":
            return False
        has_han = has_han or "\u4e00" <= character <= "\u9fff" or "\u3400" <= character <= "\u4dbf"
    return has_han


def _fitting(hit: Hit, *, room: int, session: Session, is_chinese: bool) -> tuple[str, ShownRule]:
    """The longest form of a rule that fits; "" when none does."""
    text = RuleText(hit.document, is_chinese=is_chinese)
    name = f"[{hit.tier.upper()} {hit.document.short_id}]"
    if hit.tier == Tier.HOT and not session.has_in_full(hit.document.short_id):
        full = f"{name}\n{rule_paragraph(text)}"
        if len(full) <= room:
            return full, ShownRule(hit.document, tier=hit.tier, text=text, is_full=True)
    line = f"{name} {_on_one_line(text.trigger)} — {_on_one_line(text.action)}"
    return line if len(line) <= room else "", ShownRule(hit.document, tier=hit.tier, text=text, is_full=False)


def _in_language(text: str, chinese: str, *, is_chinese: bool) -> str:
    return chinese if is_chinese and chinese else text


def _set_in(text: str) -> str:
    return "\n    ".join(line.strip() for line in text.splitlines() if line.strip())


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
