"""A gate never outlives its rule: every change of a rule disarms the gates that it armed."""

from pathlib import Path

import pytest

from hooks.hot.markers import Marker, has_marker, save_marker
from rules.authoring import dismiss_rule, edit_rule
from rules.lifecycle import Mover
from rules.models import Rule
from tests.factories import make_rule
from tests.hooks.spooled import NOON

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def arm(data_folder):
    def arm(rule, *, session_id="s1"):
        marker = Marker(
            session_id=session_id,
            prompt_ids=("p1",),
            armed_at=NOON.timestamp(),
            rule_id=str(rule.pk),
            short_id=rule.short_id,
            tool_pattern="",
            reason="read this",
        )
        save_marker(data_folder, marker)

    return arm


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda rule: dismiss_rule(rule, by=Mover.PAGE, now=NOON), id="dismissed"),
        pytest.param(lambda rule: edit_rule(rule, {"action": "Something else"}, now=NOON), id="edited"),
        pytest.param(lambda rule: rule.delete(), id="deleted"),
        pytest.param(lambda rule: Rule.objects.update(confidence="low"), id="updated with others"),
    ],
)
def test_a_changed_rule_disarms_its_gates(data_folder, arm, change):
    rule = make_rule()
    arm(rule)
    arm(rule, session_id="s2")

    change(rule)

    assert list(Path(data_folder.gate_markers).iterdir()) == []


def test_the_gate_of_another_rule_stays_armed(data_folder, arm):
    rule, other = make_rule(), make_rule(trigger="Another")
    arm(other)

    dismiss_rule(rule, by=Mover.PAGE, now=NOON)

    assert has_marker(data_folder, "s1")
