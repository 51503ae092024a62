"""The newest injections, each with what the gate said to the tool call that followed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooks.models import GateDecision
from rules.models import Injection

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One injection. answers: the gate's, in the order in which it gave them."""

    injection: Injection
    answers: tuple[str, ...] = ()


def latest_shown(most: int) -> list[Shown]:
    """Newest first."""
    injections = list(Injection.objects.select_related("rule").order_by("-at", "-pk")[:most])
    return [
        Shown(injection=row, answers=answers) for row, answers in zip(injections, _answers(injections), strict=True)
    ]


def _answers(injections: list[Injection]) -> Iterable[tuple[str, ...]]:
    """A decision belongs to the last injection of its rule in its session before it."""
    found: list[list[str]] = [[] for _ in injections]
    if injections:
        sessions = {row.session_id for row in injections}
        for decision in GateDecision.objects.filter(session_id__in=sessions, at__gte=injections[-1].at).order_by(
            "at", "pk"
        ):
            for place, row in enumerate(injections):
                if (row.session_id, row.rule_id) == (decision.session_id, decision.rule_id) and row.at <= decision.at:
                    found[place].append(decision.answer)
                    break
    return [tuple(answers) for answers in found]
