import pytest

from rules.forms import RuleEditForm, RuleForm
from rules.models import Rule
from tests.factories import make_rule

pytestmark = pytest.mark.django_db


def typed(**changes):
    return {
        "trigger": "Force pushing to a shared branch",
        "action": "Use --force-with-lease",
        "source_type": "correction",
        "confidence": "high",
        **changes,
    }


def test_phrases_are_one_a_line_and_terms_one_language_a_line():
    form = RuleForm(
        typed(variants="git push -f\n\n git push --force \n", search_terms="en: rewrite, lease\nzh：强推、改写")
    )

    assert form.is_valid(), form.errors
    assert form.cleaned_data["variants"] == ["git push -f", "git push --force"]
    assert form.cleaned_data["search_terms"] == {"en": ["rewrite", "lease"], "zh": ["强推", "改写"]}


def test_lists_are_shown_as_they_are_typed():
    rule = make_rule(variants=["one", "two"], search_terms={"en": ["a", "b"]})

    page = RuleEditForm(instance=rule).as_p()

    assert "one\ntwo" in page
    assert "en: a, b" in page


def test_what_was_not_touched_is_no_change():
    rule = make_rule(variants=["one"], search_terms={"en": ["a"]}, excludes=["x"])
    form = RuleEditForm(typed(action=rule.action, variants="one", search_terms="en: a", excludes="x"), instance=rule)

    assert form.is_valid(), form.errors
    assert form.changed_words() == {}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"trigger": "ab"}, "trigger"),
        ({"action": ""}, "action"),
        ({"tool_pattern": "("}, "tool_pattern"),
        ({"variants": "\n".join(f"v{number}" for number in range(40))}, "variants"),
        ({"search_terms": "no language here"}, "search_terms"),
        ({"source_type": "opinion"}, "source_type"),
        ({"rationale": "x" * 5000}, "rationale"),
    ],
)
def test_a_mistake_stands_beside_its_field(changes, field):
    form = RuleForm(typed(**changes))

    assert not form.is_valid()
    assert field in form.errors
    assert not Rule.objects.exists()
