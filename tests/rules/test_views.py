import pytest
from django.urls import reverse

from rules.models import Rule
from tests.factories import make_rule
from tests.rules.test_forms import typed

pytestmark = pytest.mark.django_db
SCRIPT = "<script>alert(1)</script>"


def said(response):
    return response.content.decode()


def test_the_list_shows_rules_and_filters_them(pages):
    make_rule(trigger="Deploying on a Friday", status="candidate")
    make_rule()

    everything = said(pages.get(reverse("rules")))
    found = said(pages.get(reverse("rules"), {"status": "candidate"}))

    assert ("Deploying on a Friday" in everything, "Force pushing" in everything) == (True, True)
    assert ("Deploying on a Friday" in found, "Force pushing" in found) == (True, False)


def test_a_search_is_kept_while_a_filter_is_added(pages):
    make_rule(trigger="Deploying on a Friday")

    page = said(pages.get(reverse("rules"), {"text": "friday", "sort": "-hit_count"}))

    assert "?text=friday&amp;sort=-hit_count&amp;status=active" in page
    assert '<input type="hidden" name="sort" value="-hit_count">' in page


@pytest.mark.parametrize(
    "wish", [{"status": "no"}, {"sort": "password"}, {"page": "x"}, {"page": "-1"}, {"scope": "\0"}]
)
def test_a_wish_that_makes_no_sense_is_no_wish(pages, wish):
    make_rule()

    assert "Force pushing" in said(pages.get(reverse("rules"), wish))


def test_with_no_rule_the_list_teaches_how_to_add_one(pages):
    assert "manage.py add --trigger" in said(pages.get(reverse("rules")))


def test_a_rule_is_added_and_shown(pages):
    response = pages.post(reverse("rules-add"), typed(), follow=True)

    rule = Rule.objects.get()
    assert response.redirect_chain == [(reverse("rule", args=[rule.short_id]), 302)]
    assert f"Added {rule.short_id}." in said(response)
    assert rule.history.get().by == "page"


def test_an_edit_is_saved_and_marked_as_made_by_hand(pages):
    rule = make_rule()

    pages.post(reverse("rule-edit", args=[rule.short_id]), typed(action="Push to a new branch"))

    rule.refresh_from_db()
    assert (rule.action, rule.manual_edit) == ("Push to a new branch", True)


def test_a_mistake_in_a_form_saves_nothing_and_keeps_what_was_typed(pages):
    response = pages.post(reverse("rules-add"), typed(tool_pattern="(", rationale="because"))

    assert "is not a regular expression" in said(response)
    assert "because" in said(response)
    assert not Rule.objects.exists()


def test_a_dismissal_offers_its_undoing(pages):
    rule = make_rule()

    response = pages.post(reverse("rules-move"), {"rules": rule.short_id, "to": "archived"}, follow=True)
    pages.post(reverse("rules-undo"), {"rules": rule.short_id})

    rule.refresh_from_db()
    assert f'name="rules" value="{rule.short_id}"' in said(response)
    assert (rule.status, [step.to_status for step in rule.history.order_by("pk")]) == ("active", ["archived", "active"])


def test_many_rules_move_at_once(pages):
    rules = [make_rule(), make_rule()]

    response = pages.post(
        reverse("rules-move"), {"rules": [rule.short_id for rule in rules], "to": "dormant"}, follow=True
    )

    assert set(Rule.objects.values_list("status", flat=True)) == {"dormant"}
    assert "2 rules are laid to rest." in said(response)


@pytest.mark.parametrize("target", ["merged", "candidate", "", "x"])
def test_no_form_moves_a_rule_where_only_the_program_may(pages, target):
    rule = make_rule()

    response = pages.post(reverse("rules-move"), {"rules": rule.short_id, "to": target})

    rule.refresh_from_db()
    assert (response.status_code, rule.status) == (404, "active")


@pytest.mark.parametrize("name", ["ffffff", "nothing", "' or 1=1"])
def test_a_rule_that_is_not_there_is_not_found(pages, name):
    assert pages.get(reverse("rule", args=[name])).status_code == 404


def test_script_in_any_field_stays_text(pages):
    rule = make_rule(
        trigger=SCRIPT,
        action=SCRIPT,
        rationale=SCRIPT,
        behavior=SCRIPT,
        variants=[SCRIPT],
        excludes=[SCRIPT],
        search_terms={SCRIPT: [SCRIPT]},
        tool_pattern=SCRIPT,
        trigger_zh=SCRIPT,
        action_zh=SCRIPT,
        rationale_zh=SCRIPT,
        behavior_zh=SCRIPT,
        variants_zh=[SCRIPT],
        project_id=SCRIPT,
        quote=SCRIPT,
        status="candidate",
    )
    addresses = [reverse(name) for name in ("dashboard", "rules", "review", "rules-add", "lifecycle")]
    addresses += [reverse(name, args=[rule.short_id]) for name in ("rule", "rule-edit", "review-one")]

    answers = [said(pages.get(address)) for address in addresses]

    assert [address for address, answer in zip(addresses, answers, strict=True) if SCRIPT in answer] == []
    assert sum("&lt;script&gt;" in answer for answer in answers) >= 6
