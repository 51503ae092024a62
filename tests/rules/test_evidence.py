from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from rules.evidence import add_evidence
from rules.lifecycle import EvidenceKind
from rules.models import Rule
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db
TOMORROW = NOW + timedelta(days=1)


def test_points_add_up_and_every_observation_is_kept():
    rule = make_rule()

    add_evidence(rule, EvidenceKind.USER_CORRECTION, now=NOW)
    add_evidence(rule, EvidenceKind.SAME_EXTRACTION, now=NOW, project_id="p", session_id="s")

    assert Rule.objects.get().evidence_score == rule.evidence_score == 4
    assert list(rule.evidence.order_by("id").values_list("kind", "points", "project_id", "session_id")) == [
        ("user_correction", 3, "", ""),
        ("same_extraction", 1, "p", "s"),
    ]


def test_two_points_over_two_days_activate_a_candidate():
    rule = make_rule(status="candidate")

    assert not add_evidence(rule, EvidenceKind.SHADOW_HOT, now=NOW)
    assert add_evidence(rule, EvidenceKind.SHADOW_HOT, now=TOMORROW)

    assert Rule.objects.get().status == "active"
    assert rule.history.get().by == "evidence"


def test_many_points_of_one_day_do_not():
    rule = make_rule(status="candidate")

    for _ in range(3):
        add_evidence(rule, EvidenceKind.USER_CORRECTION, now=NOW)

    assert Rule.objects.get().status == "candidate"


@pytest.mark.parametrize("status", ["dormant", "archived", "merged"])
def test_evidence_moves_only_candidates(status):
    rule = make_rule(status=status)
    add_evidence(rule, EvidenceKind.USER_CORRECTION, now=NOW)

    assert not add_evidence(rule, EvidenceKind.USER_CORRECTION, now=TOMORROW)
    assert Rule.objects.get().status == status


def test_evidence_for_a_rule_that_was_dismissed_meanwhile_does_not_revive_it():
    rule = make_rule(status="candidate", evidence_score=5)
    add_evidence(rule, EvidenceKind.SHADOW_HOT, now=NOW)
    Rule.objects.update(status="archived")

    assert not add_evidence(rule, EvidenceKind.SHADOW_HOT, now=TOMORROW)
    assert Rule.objects.get().status == "archived"


def test_a_day_is_a_day_on_the_users_calendar():
    rule = make_rule(status="candidate")
    evening = datetime(2026, 11, 30, 14, 30, tzinfo=UTC)  # 23:30 in Tokyo
    night = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)  # 00:30 there

    with timezone.override(ZoneInfo("Asia/Tokyo")):
        add_evidence(rule, EvidenceKind.SHADOW_HOT, now=evening)
        assert add_evidence(rule, EvidenceKind.SHADOW_HOT, now=night)

    assert sorted(rule.evidence.values_list("day", flat=True)) == [date(2026, 11, 30), date(2026, 12, 1)]


def test_evidence_does_not_change_when_a_rule_was_edited_last():
    rule = make_rule()

    add_evidence(rule, EvidenceKind.SHADOW_HOT, now=TOMORROW)

    assert Rule.objects.get().updated_at == NOW
