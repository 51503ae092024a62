"""A person's chat line "dismiss a3f2b1" > a tombstone that silences the rule at once, and what to tell of it.

The command must stand alone on its line, in words that a person typed, and name rules shown in this session within
24 hours. The tombstone holds until the rule is archived in the database and republished.
"""

from __future__ import annotations

import json
import os

from rules.disk import safe_name, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooks.hot.events import HookEvent
    from rules.disk import DataFolder

SEPARATORS = str.maketrans(dict.fromkeys(",;:\t\uff0c\u3001\uff1a\u3000", " "))  # and their full-width forms
HEX_DIGITS = frozenset("0123456789abcdef")
ID_LENGTHS = range(6, 33)
MAX_IDS = 20  # of one prompt


class Command:
    """The ids that the prompt's dismiss lines name, and the prompt without those lines."""

    __slots__ = ("ids", "rest")

    def __init__(self, *, ids: tuple[str, ...], rest: str) -> None:
        self.ids = ids
        self.rest = rest


class Outcome:
    """What became of one named id. rule_id is "" when nothing was retired."""

    __slots__ = ("message", "rule_id", "short_id")

    def __init__(self, message: str, *, rule_id: str = "", short_id: str = "") -> None:
        self.message = message
        self.rule_id = rule_id
        self.short_id = short_id


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


def tombstones(folder: DataFolder) -> frozenset[str]:
    """The short_ids that are silenced."""
    try:
        return frozenset(os.listdir(folder.tombstones))
    except OSError:
        return frozenset()


def retire(
    typed: str,
    *,
    shown: Mapping[str, str],
    published: Mapping[str, str],
    event: HookEvent,
    folder: DataFolder,
    now: float,
) -> Outcome:
    """shown are the rules that may be retired here, published tells which others there are: short_id > rule_id.

    Raises OSError when the tombstone cannot be written.
    """
    meant = fitting(typed, shown)
    if len(meant) > 1:
        return Outcome(f"{typed} fits several rules ({', '.join(meant)}), so none was retired")
    if not meant:
        return Outcome(_why_not(typed, published))
    short_id, rule_id = meant[0], shown[meant[0]]
    tombstone = {"rule_id": rule_id, "session_id": event.session_id, "at": now}
    write_atomic(os.path.join(folder.tombstones, safe_name(short_id)), json.dumps(tombstone).encode("ascii"))
    return Outcome(f"rule {short_id} is retired", rule_id=rule_id, short_id=short_id)


def fitting(typed: str, rules: Mapping[str, str]) -> list[str]:
    """The short_ids that the typed digits name or begin."""
    if typed in rules:
        return [typed]
    return sorted(
        short_id
        for short_id, rule_id in rules.items()
        if short_id.startswith(typed) or rule_id.replace("-", "").startswith(typed)
    )


def confirmation(outcomes: Sequence[Outcome]) -> str:
    """One line; "" without outcomes."""
    return "Nokori: " + "; ".join(outcome.message for outcome in outcomes) + "." if outcomes else ""


def _ids_on(line: str, *, verb: str) -> list[str]:
    """The ids of a dismiss line; [] when the line is anything else. Backticks around it are a copied hint's."""
    words = line.strip().strip("`").translate(SEPARATORS).split()
    named = [word.lower() for word in words[1:]]
    if not named or words[0].casefold() != verb.casefold():
        return []
    return named if all(len(word) in ID_LENGTHS and HEX_DIGITS.issuperset(word) for word in named) else []


def _why_not(typed: str, published: Mapping[str, str]) -> str:
    if fitting(typed, published):
        return f"{typed} was not shown in this session within a day, so it was not retired here"
    return f"no rule is called {typed}"
