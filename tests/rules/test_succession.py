from datetime import timedelta

import pytest

from rules.evidence import add_evidence
from rules.lifecycle import EvidenceKind, Mover, Status
from rules.models import Rule, StatusChange
from rules.succession import Relation, UnresolvedPair, supersede
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


def take_place(old, new):
    return supersede(old, new, relation=Relation.CONTRADICTS, by=Mover.EXTRACTION, now=NOW)


@pytest.mark.parametrize("status", ["candidate", "active", "dormant"])
def test_an_active_rule_takes_an_old_ones_place_at_once(status):
    old, new = make_rule(status=status), make_rule(trigger="Installing packages", action="Use pnpm")

    assert take_place(old, new)

    old.refresh_from_db()
    assert (old.status, old.superseded_by) == ("merged", new)
    assert StatusChange.objects.get(rule=old).by == "extraction"


@pytest.mark.parametrize("status", ["active", "dormant"])
def test_a_rule_in_use_stays_until_its_successor_is_in_use(status):
    old, new = make_rule(status=status), make_rule(status="candidate", confidence="medium")

    assert not take_place(old, new)

    old.refresh_from_db()
    assert (old.status, old.superseded_by) == (status, None)
    assert list(UnresolvedPair.objects.standing()) == [UnresolvedPair.objects.get(old=old, new=new)]


def test_a_candidate_takes_another_candidates_place_at_once():
    old, new = make_rule(status="candidate"), make_rule(status="candidate", confidence="medium")

    assert take_place(old, new)


def test_a_successor_that_becomes_active_resolves_its_pairs():
    old, new = make_rule(), make_rule(status="candidate", confidence="medium")
    take_place(old, new)

    for day in range(2):
        add_evidence(new, EvidenceKind.SAME_EXTRACTION, now=NOW + timedelta(days=day))

    old.refresh_from_db()
    assert (new.status, old.status, old.superseded_by_id) == ("active", "merged", new.pk)
    assert not UnresolvedPair.objects.exists()


def test_a_pair_whose_successor_was_dismissed_stands_no_more():
    old, new = make_rule(), make_rule(status="candidate", confidence="medium")
    take_place(old, new)

    new.move_to(Status.ARCHIVED, why="dismissed by hand", by=Mover.COMMAND, now=NOW)

    assert not UnresolvedPair.objects.standing().exists()
    assert Rule.objects.get(pk=old.pk).status == "active"


def test_a_rule_never_takes_its_own_place():
    rule = make_rule()

    assert not take_place(rule, rule)


def test_the_same_pair_is_kept_once():
    old, new = make_rule(), make_rule(status="candidate", confidence="medium")

    take_place(old, new)
    take_place(old, new)

    assert UnresolvedPair.objects.count() == 1


def test_an_archived_rule_has_no_place_to_take():
    assert not take_place(make_rule(status="archived", archived_reason="dismissed by hand"), make_rule())
