import pytest
from django.urls import reverse

from nokori_site.review import review_of
from rules.models import Rule
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db


def test_the_newest_candidate_comes_first_and_names_the_next(data_folder):
    old, new = make_rule(status="candidate"), make_rule(status="candidate", created_at=NOW.replace(hour=13))

    review = review_of("", folder=data_folder)

    assert review is not None
    assert (review.rule, review.place, review.waiting, review.following) == (new, 1, 2, old.short_id)


def test_what_does_not_wait_is_not_reviewed(data_folder):
    assert review_of(make_rule().short_id, folder=data_folder) is None
    assert review_of("", folder=data_folder) is None


def test_an_accepted_candidate_is_in_use_and_the_next_one_follows(pages):
    first, second = make_rule(status="candidate"), make_rule(status="candidate")
    following = reverse("review-one", args=[second.short_id])

    response = pages.post(reverse("review-decide", args=[first.short_id]), {"decision": "accept", "next": following})

    first.refresh_from_db()
    assert (first.status, response.headers["Location"]) == ("active", following)


def test_a_rejected_candidate_can_be_taken_back_as_a_candidate(pages):
    rule = make_rule(status="candidate")

    pages.post(reverse("review-decide", args=[rule.short_id]), {"decision": "reject"})
    rejected = Rule.objects.get().status
    pages.post(reverse("rules-undo"), {"rules": rule.short_id})

    assert (rejected, Rule.objects.get().status) == ("archived", "candidate")


def test_edit_and_accept_is_one_step(pages):
    rule = make_rule(status="candidate")
    typed = {"trigger": rule.trigger, "action": "Better words", "source_type": "correction", "confidence": "high"}

    pages.post(reverse("rule-edit", args=[rule.short_id]) + "?accept=1", typed)

    rule.refresh_from_db()
    assert (rule.action, rule.status) == ("Better words", "active")


def test_a_candidate_that_was_decided_meanwhile_leads_back_to_the_others(pages):
    rule = make_rule()

    assert pages.get(reverse("review-one", args=[rule.short_id])).status_code == 302
    assert "manage.py extract" in pages.get(reverse("review")).content.decode()


@pytest.mark.parametrize("decision", ["", "merge"])
def test_any_other_decision_is_none(pages, decision):
    rule = make_rule(status="candidate")

    assert pages.post(reverse("review-decide", args=[rule.short_id]), {"decision": decision}).status_code == 404
