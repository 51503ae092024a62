from io import StringIO

import pytest
from django.core.management import call_command

from retrieval.documents import published_documents
from rules.authoring import add_rule, edit_rule
from rules.drafts import RuleDraft
from rules.lifecycle import Mover
from rules.management.rule_text import list_text, show_text
from rules.models import Rule
from rules.records import rule_record
from rules.scrubbing import scrub_rules
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db
SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def old_rule():
    """A row from before secrets were known."""
    return make_rule(
        trigger=f"Logging in with {SECRET}",
        variants=[f"log in {SECRET}"],
        search_terms={"en": [SECRET]},
        rationale="why",
        action="Ask",
    )


def test_nb115_a_secret_in_an_old_row_is_not_published(old_rule):
    [document] = published_documents()

    assert (document.trigger, document.rationale) == ("Logging in with [redacted]", "why")
    assert (document.variants, document.terms) == (("log in [redacted]",), ("[redacted]",))


@pytest.mark.parametrize(
    "show",
    [lambda rule: list_text([rule]), show_text, lambda rule: str(rule_record(rule))],
    ids=["list", "show", "json"],
)
def test_nb115_a_secret_in_an_old_row_is_not_shown(old_rule, show):
    assert "a1B2" not in show(old_rule)


def test_scrubbing_takes_it_out_of_the_row(old_rule):
    make_rule()

    assert scrub_rules(now=NOW) == 1

    row = Rule.objects.get(pk=old_rule.pk)
    assert (row.trigger, row.variants, row.search_terms) == (
        "Logging in with [redacted]",
        ["log in [redacted]"],
        {"en": ["[redacted]"]},
    )
    assert scrub_rules(now=NOW) == 0


def test_what_a_person_types_is_stored_without_its_secret():
    rule = add_rule(RuleDraft(trigger=f"Using {SECRET}", action="Ask", variants=[SECRET]), by=Mover.COMMAND, now=NOW)
    edit_rule(rule, {"action": f"Never type {SECRET}"}, now=NOW)

    assert (rule.trigger, rule.variants, rule.action) == ("Using [redacted]", ["[redacted]"], "Never type [redacted]")


def test_a_pattern_is_left_as_it_is():
    rule = add_rule(
        RuleDraft(trigger="Pushing", action="Ask", tool_pattern="token=[a-z0-9]{20,}"), by=Mover.COMMAND, now=NOW
    )

    assert rule.tool_pattern == "token=[a-z0-9]{20,}"


def test_the_command_says_how_many_rules_it_were(old_rule, data_folder):
    told = StringIO()

    call_command("maintain", "--scrub", stdout=told)

    assert told.getvalue().splitlines()[-1].split() == ["secrets", "1", "rules"]
