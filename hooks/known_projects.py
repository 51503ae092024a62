"""The projects that rules or sessions have told of: for choosing one."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from hooks.models import AgentSession
from rules.models import Rule
from rules.projects import project_name


@dataclass(frozen=True, kw_only=True)
class KnownProject:
    """`name` is the id without the hex digits that tell two folders of one name apart."""

    project_id: str
    name: str
    rules: int


def known_projects() -> list[KnownProject]:
    """By name."""
    own = dict(Rule.objects.exclude(project_id="").order_by().values_list("project_id").annotate(number=Count("*")))
    seen = AgentSession.objects.exclude(project_id="").order_by().values_list("project_id", flat=True).distinct()
    return sorted(
        (KnownProject(project_id=key, name=project_name(key), rules=own.get(key, 0)) for key in {*own, *seen}),
        key=lambda project: (project.name.lower(), project.project_id),
    )


def project_choices() -> list[tuple[str, str]]:
    """Each project's id and name, by name: what a list to choose from needs, without counting rules."""
    own = Rule.objects.exclude(project_id="").order_by().values_list("project_id", flat=True).distinct()
    seen = AgentSession.objects.exclude(project_id="").order_by().values_list("project_id", flat=True).distinct()
    named = [(key, project_name(key)) for key in {*own, *seen}]
    return sorted(named, key=lambda choice: (choice[1].lower(), choice[0]))


def latest_project() -> str:
    """The project of the session that was active last; "" when there is none."""
    sessions = AgentSession.objects.exclude(project_id="").order_by("-last_activity")
    return sessions.values_list("project_id", flat=True).first() or ""
