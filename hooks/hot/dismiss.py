"""A person's chat line "dismiss a3f2b1" > a tombstone that silences the rule at once, and what to tell of it.

The command must stand alone on its line, in words that a person typed, and name rules shown in this session within
24 hours. The tombstone holds until the rule is archived in the database and republished.
"""

from __future__ import annotations

import os

from hooks.hot.markers import strip_markers
from rules.disk import safe_name, write_atomic
from rules.plain_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooks.hot.call import Call
    from hooks.hot.sessions import Session
    from rules.disk import DataFolder

SEPARATORS = str.maketrans(dict.fromkeys(",;:\t\uff0c\u3001\uff1a\u3000", " "))  # and their full-width forms
FULL_STOPS = ".!\u3002\uff01"
HEX_DIGITS = frozenset("0123456789abcdef")
ID_LENGTHS = range(6, 33)
MAX_IDS = 20  # of one prompt


class Command:
    """The ids that the prompt's dismiss lines name, and the prompt without those lines."""

    __slots__ = ("ids", "rest")

    def __init__(self, *, ids: tuple[str, ...], rest: str) -> None:
        self.ids = ids
        self.rest = rest


class Obeyed:
    """What became of a prompt's commands: the words that remain, one line to tell, and short_id > rule_id retired."""

    __slots__ = ("confirmation", "rest", "retired")

    def __init__(self, rest: str) -> None:
        self.rest = rest
        self.confirmation = ""
        self.retired: dict[str, str] = {}

    def tell(self, message: str) -> None:
        self.confirmation = (
            f"{self.confirmation.removesuffix('.')}; {message}." if self.confirmation else f"Nokori: {message}."
        )


def obey(call: Call, session: Session) -> Obeyed:
    """Retires what the prompt names. A session that its host did not name may retire any published rule."""
    command = read_command(call.event.words, verb=call.published.settings.dismiss_phrase)
    obeyed = Obeyed(command.rest)
    if not command.ids:
        return obeyed
    shown = session.dismissible(now=call.now)
    is_all_shown = call.event.has_session and all(fitting(typed, shown) for typed in command.ids)
    published = {} if is_all_shown else _published_rules(call)
    allowed = shown if call.event.has_session else published
    for typed in command.ids:
        meant = fitting(typed, allowed)
        if len(meant) == 1:
            _retire(call, obeyed, meant[0], rule_id=allowed[meant[0]])
        else:
            obeyed.tell(_why_not(typed, meant, published))
    return obeyed


def read_command(words: str, *, verb: str) -> Command:
    if verb.casefold() not in words.casefold():
        return Command(ids=(), rest=words)
    ids: list[str] = []
    rest: list[str] = []
    for line in words.splitlines():
        named = _ids_on(line, verb=verb)
        ids.extend(named)
        if not named:
            rest.append(line)
    return Command(ids=tuple(dict.fromkeys(ids))[:MAX_IDS], rest="\n".join(rest).strip())


def _published_rules(call: Call) -> dict[str, str]:
    from hooks.hot.lookup import published_rules  # noqa: PLC0415  the search, which few commands need

    return published_rules(call)


def tombstones(folder: DataFolder) -> frozenset[str]:
    """The short_ids that are silenced."""
    try:
        return frozenset(os.listdir(folder.tombstones))
    except OSError:
        return frozenset()


def fitting(typed: str, rules: Mapping[str, str]) -> list[str]:
    """The short_ids that the typed digits name or begin."""
    if typed in rules:
        return [typed]
    return sorted(
        short_id
        for short_id, rule_id in rules.items()
        if short_id.startswith(typed) or rule_id.replace("-", "").startswith(typed)
    )


def _ids_on(line: str, *, verb: str) -> list[str]:
    """The ids of a dismiss line; [] when the line is anything else.

    Backticks around it are a copied hint's, and a sentence may end in a full stop.
    """
    words = line.strip().strip("`" + FULL_STOPS).translate(SEPARATORS).split()
    named = [word.lower() for word in words[1:]]
    if not named or words[0].casefold() != verb.casefold():
        return []
    return named if all(len(word) in ID_LENGTHS and HEX_DIGITS.issuperset(word) for word in named) else []


def _why_not(typed: str, meant: list[str], published: Mapping[str, str]) -> str:
    if meant:
        return f"{typed} fits several rules ({', '.join(meant)}), so none was retired"
    if fitting(typed, published):
        return f"{typed} was not shown in this session within a day, so it was not retired here"
    return f"no rule is called {typed}"


def _retire(call: Call, obeyed: Obeyed, short_id: str, *, rule_id: str) -> None:
    tombstone = {"rule_id": rule_id, "session_id": call.event.session_id, "at": call.now}
    path = os.path.join(call.folder.tombstones, safe_name(short_id))
    try:
        write_atomic(path, dumps(tombstone).encode("ascii"))
    except OSError as problem:
        call.failures.append(problem)
        obeyed.tell(f"{short_id} could not be retired, for the disk did not take it")
        return
    obeyed.retired[short_id] = rule_id
    obeyed.tell(f"rule {short_id} is retired")
    with call.tolerating(OSError):
        strip_markers(call.folder, {rule_id})
