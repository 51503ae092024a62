import pytest
from django.urls import reverse

from rules.models import Evidence, Injection, Rule, ShadowHit
from tests.factories import NOW, make_rule

LIST = "admin:rules_rule_changelist"
CHANGE = "admin:rules_rule_change"
INLINES = {
    f"{prefix}-{name}_FORMS": count
    for prefix in ("history", "evidence")
    for name, count in [("TOTAL", "0"), ("INITIAL", "0")]
}


def words(**changes):
    """What the browser sends for a complete rule."""
    return {
        "trigger": "Force pushing to a shared branch",
        "action": "Use --force-with-lease",
        "variants": "git push -f",
        "source_type": "correction",
        "confidence": "high",
        **INLINES,
        **changes,
    }


def test_a_rule_written_on_the_page_has_the_status_it_has_earned(pages):
    response = pages.post(reverse("admin:rules_rule_add"), words())

    rule = Rule.objects.get()
    assert response.status_code == 302
    assert (rule.status, rule.history.get().by, rule.variants) == ("active", "page", ["git push -f"])


def test_an_edit_on_the_page_is_an_edit_by_hand(pages):
    rule = make_rule()

    pages.post(reverse(CHANGE, args=[rule.pk]), words(action="Push to a new branch"))

    rule.refresh_from_db()
    assert (rule.action, rule.manual_edit, rule.short_id) == ("Push to a new branch", True, Rule.objects.get().short_id)


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("trigger", "ab", "at least 3 characters"),
        ("tool_pattern", "(", "is not a regular expression"),
        ("search_terms", "lease", "Begin each line with a language"),
    ],
)
def test_a_mistake_stands_beside_its_field_and_nothing_is_saved(pages, field, value, complaint):
    response = pages.post(reverse("admin:rules_rule_add"), words(**{field: value}))

    assert complaint in response.content.decode()
    assert not Rule.objects.exists()


def test_the_status_cannot_be_typed(pages):
    rule = make_rule()

    pages.post(reverse(CHANGE, args=[rule.pk]), words(status="archived"))

    rule.refresh_from_db()
    assert rule.status == "active"


@pytest.mark.parametrize(
    ("before", "action", "after"),
    [("candidate", "put_in_use", "active"), ("active", "lay_to_rest", "dormant"), ("dormant", "dismiss", "archived")],
)
def test_an_action_moves_a_rule_along_an_allowed_way(pages, before, action, after):
    rule = make_rule(status=before)

    pages.post(reverse(LIST), {"action": action, "_selected_action": [str(rule.pk)]})

    rule.refresh_from_db()
    assert (rule.status, rule.history.get().by) == (after, "page")


def test_a_move_that_is_not_allowed_is_refused_in_words(pages):
    rule = make_rule(status="candidate")

    response = pages.post(reverse(LIST), {"action": "lay_to_rest", "_selected_action": [str(rule.pk)]}, follow=True)

    assert "is candidate and can only become" in response.content.decode()


def test_a_rule_cannot_be_deleted(pages):
    rule = make_rule()

    response = pages.post(reverse("admin:rules_rule_delete", args=[rule.pk]), {"post": "yes"})

    assert response.status_code == 403
    assert Rule.objects.filter(pk=rule.pk).exists()


def test_a_dismissal_is_taken_back_by_an_action(pages):
    rule = make_rule(status="archived")

    pages.post(reverse(LIST), {"action": "take_back", "_selected_action": [str(rule.pk)]})

    rule.refresh_from_db()
    assert rule.status == "active"


@pytest.mark.parametrize("model", ["evidence", "injection", "shadowhit"])
def test_what_happened_is_only_looked_at(pages, model):
    rule = make_rule()
    row = {
        "evidence": Evidence(rule=rule, kind="shadow_hot", points=1, day=NOW.date(), at=NOW),
        "injection": Injection(rule=rule, session_id="s", level="hot", at=NOW, note_id="n"),
        "shadowhit": ShadowHit(rule=rule, project_id="there", day=NOW.date()),
    }[model]
    row.save()

    assert pages.get(reverse(f"admin:rules_{model}_changelist"), {"q": rule.short_id}).status_code == 200
    assert pages.get(reverse(f"admin:rules_{model}_change", args=[row.pk])).status_code == 200
    assert pages.get(reverse(f"admin:rules_{model}_add")).status_code == 403
    assert pages.post(reverse(f"admin:rules_{model}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403


def test_users_and_groups_are_not_offered(pages):
    index = pages.get(reverse("admin:index")).content.decode()

    assert "/admin/rules/rule/" in index
    assert "/admin/auth/" not in index
    assert pages.get("/admin/auth/user/").status_code == 404


def test_the_index_shows_the_log_as_it_is_written(pages):
    assert 'id="log-lines"' in pages.get(reverse("admin:index")).content.decode()
