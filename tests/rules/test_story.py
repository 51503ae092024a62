from datetime import timedelta

import pytest

from rules.evidence import add_evidence
from rules.lifecycle import EvidenceKind, Mover, Status
from rules.models import Injection, ShadowHit
from rules.story import MOST_OF_A_KIND, tell
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def show(rule, *, at, level="warm", note="n"):
    return Injection.objects.create(rule=rule, session_id="s", level=level, at=at, note_id=note)


def test_everything_that_happened_is_told_newest_first():
    rule = make_rule()
    add_evidence(rule, EvidenceKind.USER_CORRECTION, now=NOW - 3 * HOUR)
    show(rule, at=NOW - 2 * HOUR)
    rule.move_to(Status.DORMANT, why="", by=Mover.PAGE, now=NOW - HOUR)
    ShadowHit.objects.create(rule=rule, project_id="there", day=(NOW - timedelta(days=2)).date())

    story = tell(rule)

    assert [moment.kind for moment in story.moments] == ["step", "injection", "evidence", "shadow"]
    assert (story.evidence_days, story.shadow_projects, story.hidden) == (1, ["there"], 0)


def test_of_many_injections_the_newest_are_told_and_the_rest_is_counted():
    rule = make_rule()
    for number in range(MOST_OF_A_KIND + 3):
        show(rule, at=NOW - number * HOUR, level="hot", note=f"n{number}")

    story = tell(rule)

    assert (len(story.moments), story.hidden, story.shown) == (MOST_OF_A_KIND, 3, {"hot": MOST_OF_A_KIND + 3})


def test_the_line_of_successors_ends_where_it_began():
    first, second, third = make_rule(), make_rule(), make_rule()
    for rule, heir in ((first, second), (second, third), (third, first)):
        rule.superseded_by = heir
        rule.save(update_fields=["superseded_by"])

    assert tell(first).successors == [second, third]
    assert tell(first).predecessors == [third]
