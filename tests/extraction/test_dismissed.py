import pytest

from extraction.dismissed import DismissedRules
from tests.extraction.making import PROJECT, make_candidate
from tests.factories import make_rule

pytestmark = pytest.mark.django_db


def is_dismissed(candidate):
    return DismissedRules(PROJECT).hold(candidate)


def archive(**changes):
    return make_rule(status="archived", archived_reason="dismissed by hand", **changes)


def test_the_same_rule_is_not_learned_again():
    archive(
        trigger="Pushing commits to a shared branch", action="Use --force-with-lease on a feature branch, never on main"
    )

    assert is_dismissed(make_candidate())


def test_nor_is_one_worded_a_little_differently():
    archive(
        trigger="Pushing a commit to the shared branch",
        action="Use --force-with-lease on feature branches, never on main",
    )

    assert is_dismissed(make_candidate())


def test_nor_one_that_rests_on_the_same_words():
    archive(trigger="Deploying", action="Ask first", quote="never  force-push to main")

    assert is_dismissed(make_candidate())


@pytest.mark.parametrize(
    "changes",
    [
        {"trigger": "Naming a branch", "action": "Use the ticket's number"},
        {
            "trigger": "Pushing commits to a shared branch",
            "action": "Ask the release manager in the channel before you push anything there",
        },
        {"project_id": "other-12345678"},
    ],
    ids=["another topic", "another action", "another project"],
)
def test_what_was_not_dismissed_can_be_learned(changes):
    archive(
        **{
            "trigger": "Pushing commits to a shared branch",
            "action": "Use --force-with-lease on a feature branch, never on main",
        }
        | changes
    )

    assert not is_dismissed(make_candidate())


def test_a_rule_in_use_dismisses_nothing():
    make_rule(
        trigger="Pushing commits to a shared branch", action="Use --force-with-lease on a feature branch, never on main"
    )

    assert not is_dismissed(make_candidate())
