import pytest

from rules.lifecycle import (
    ALLOWED_MOVES,
    Confidence,
    SourceType,
    Status,
    can_be_promoted,
    has_earned_activation,
    has_earned_promotion,
    initial_status,
    is_allowed,
)


@pytest.mark.parametrize("source_type", SourceType)
@pytest.mark.parametrize("confidence", Confidence)
def test_only_a_high_correction_starts_active(source_type, confidence):
    is_believed = source_type == "correction" and confidence == "high"

    assert (initial_status(source_type, confidence) == Status.ACTIVE) is is_believed


def test_every_status_has_its_moves_and_none_leads_to_itself():
    assert set(ALLOWED_MOVES) == set(Status)
    assert all(status not in moves for status, moves in ALLOWED_MOVES.items())


@pytest.mark.parametrize(
    ("move_from", "target", "answer"),
    [
        pytest.param("candidate", "active", True, id="candidate is activated"),
        pytest.param("candidate", "dormant", False, id="candidate was never in use"),
        pytest.param("active", "candidate", False, id="nothing becomes a candidate again"),
        pytest.param("dormant", "active", True, id="dormant reactivates"),
        pytest.param("merged", "active", False, id="merged comes back asleep first"),
        pytest.param("merged", "dormant", True, id="merge is undone"),
        pytest.param("archived", "active", True, id="dismissal is taken back"),
        pytest.param("archived", "dormant", False, id="archived does not fall asleep"),
    ],
)
def test_allowed_moves(move_from, target, answer):
    assert is_allowed(move_from, target) is answer


@pytest.mark.parametrize(
    ("score", "days", "answer"),
    [(2, 2, True), (5, 2, True), (2, 1, False), (1, 2, False), (0, 0, False)],
)
def test_activation_takes_two_points_over_two_days(score, days, answer):
    assert has_earned_activation(score=score, days=days) is answer


def test_promotion_takes_three_projects():
    assert has_earned_promotion(projects=3)
    assert not has_earned_promotion(projects=2)


@pytest.mark.parametrize(
    ("source_type", "status", "scope", "answer"),
    [
        pytest.param("correction", "active", "project", True, id="active rule of a project"),
        pytest.param("preference", "active", "project", False, id="preferences stay where they are"),
        pytest.param("correction", "candidate", "project", False, id="a candidate is activated first"),
        pytest.param("correction", "active", "global", False, id="already global"),
    ],
)
def test_what_can_be_promoted(source_type, status, scope, answer):
    assert can_be_promoted(source_type=source_type, status=status, scope=scope) is answer
