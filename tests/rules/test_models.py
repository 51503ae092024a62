from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from rules.lifecycle import Mover, Status
from rules.models import Evidence, Injection, Rule, ShadowHit
from rules.pool import PoolChange
from rules.refusals import MoveRefused
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"status": "asleep"}, id="unknown status"),
        pytest.param({"source_type": "hint"}, id="unknown source type"),
        pytest.param({"confidence": "certain"}, id="unknown confidence"),
        pytest.param({"project_scope": "team"}, id="unknown scope"),
        pytest.param({"project_scope": "project", "project_id": ""}, id="project without a name"),
        pytest.param({"trigger": ""}, id="no trigger"),
        pytest.param({"action": ""}, id="no action"),
        pytest.param({"short_id": "abcde"}, id="short_id too short"),
        pytest.param({"archived_reason": "why"}, id="reason though not archived"),
        pytest.param({"hit_count": -1}, id="negative count"),
    ],
)
def test_the_database_refuses_an_impossible_rule(changes):
    with pytest.raises(IntegrityError), transaction.atomic():
        make_rule(**changes)


def test_the_database_refuses_a_second_rule_of_one_short_id():
    make_rule(short_id="abcdef")

    with pytest.raises(IntegrityError), transaction.atomic():
        make_rule(short_id="abcdef")


def test_the_database_refuses_a_rule_that_supersedes_itself():
    rule = make_rule()

    with pytest.raises(IntegrityError), transaction.atomic():
        Rule.objects.filter(pk=rule.pk).update(superseded_by=rule)


def test_the_database_refuses_impossible_witnesses():
    rule = make_rule()
    rows = [
        Evidence(rule=rule, kind="rumour", points=1, day=NOW.date(), at=NOW),
        Evidence(rule=rule, kind="shadow_hot", points=0, day=NOW.date(), at=NOW),
        Injection(rule=rule, session_id="s", level="cold", at=NOW, note_id="n"),
        PoolChange(id=2, counter=1, calibrated_at=1),
    ]

    for row in rows:
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save()


def test_one_shadow_hit_a_project_and_day():
    hit = {"rule": make_rule(), "project_id": "p", "day": NOW.date()}
    ShadowHit.objects.create(**hit)

    with pytest.raises(IntegrityError), transaction.atomic():
        ShadowHit.objects.create(**hit)


def test_a_move_writes_status_time_and_history():
    rule = make_rule(status="candidate")

    assert rule.move_to(Status.ACTIVE, why="it proved itself", by=Mover.EVIDENCE, now=LATER)

    stored = Rule.objects.get()
    assert (stored.status, stored.status_since, stored.activated_at, stored.updated_at) == ("active", *[LATER] * 3)
    change = stored.history.get()
    assert (change.from_status, change.to_status, change.why, change.by, change.at) == (
        "candidate", "active", "it proved itself", "evidence", LATER,
    )  # fmt: skip


def test_a_move_along_no_arrow_is_refused_and_writes_nothing():
    rule = make_rule(status="candidate")

    with pytest.raises(MoveRefused, match="candidate and can only become active or archived, not dormant"):
        rule.move_to(Status.DORMANT, why="", by=Mover.MAINTENANCE, now=LATER)

    assert Rule.objects.get().status == "candidate"
    assert not rule.history.exists()


def test_the_second_of_two_movers_learns_that_it_came_late():
    first, second = make_rule(status="candidate"), Rule.objects.get()
    first.move_to(Status.ARCHIVED, why="", by=Mover.COMMAND, now=NOW)

    assert not second.move_to(Status.ACTIVE, why="", by=Mover.EVIDENCE, now=LATER)
    assert Rule.objects.get().status == "archived"
    assert first.history.count() == 1


def test_published_are_retrievable_rules_and_candidates_that_may_go_global():
    published = [
        make_rule(status="active"),
        make_rule(status="dormant", source_type="preference", confidence="low"),
        make_rule(status="candidate", project_id="p", source_type="solution"),
    ]
    make_rule(status="candidate")
    make_rule(status="candidate", project_id="p", source_type="preference")
    make_rule(status="candidate", project_id="p", confidence="medium")
    make_rule(status="merged")
    make_rule(status="archived")

    assert set(Rule.objects.published()) == set(published)


def test_a_project_sees_global_rules_and_its_own():
    seen = {make_rule(), make_rule(project_id="here")}
    make_rule(project_id="there")

    assert set(Rule.objects.visible_in("here")) == seen
    assert Rule.objects.in_project("here").count() == 1
