"""Rules in the API: listed, made, read, edited, moved; what is refused says why."""

import pytest

from rules.models import Rule
from tests.api_client import PROBLEM_JSON
from tests.factories import make_rule

WORDS = {"trigger": "Renaming a public column", "action": "Do it in two steps"}


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({"text": "SHARED branch"}, ["push"]),
        ({"text": "two steps"}, ["column"]),
        ({"text": "生产"}, ["sql"]),
        ({"status": "dormant"}, ["column"]),
        ({"source_type": "preference"}, ["sql"]),
        ({"scope": "project"}, ["sql"]),
        ({"project_id": "ops-11111111"}, ["sql"]),
        ({"sort": "-hit_count"}, ["sql", "push", "column"]),
        ({"text": "nothing of the kind"}, []),
    ],
    ids=str,
)
def test_rules_are_searched_filtered_and_sorted(api, wish, expected):
    rules = {
        "push": make_rule(hit_count=2),
        "column": make_rule(**WORDS, status="dormant", hit_count=1),
        "sql": make_rule(
            trigger="SQL in production",
            trigger_zh="在生产环境执行",
            source_type="preference",
            project_id="ops-11111111",
            hit_count=9,
        ),
    }
    names = {rule.short_id: name for name, rule in rules.items()}

    _, page = api.get("rules", **wish)

    assert [names[item["short_id"]] for item in page["items"]] == expected


def test_a_rule_is_found_by_the_beginning_of_its_short_id(api):
    rule = make_rule()

    _, page = api.get("rules", text=rule.short_id[:4].upper())

    assert [item["id"] for item in page["items"]] == [str(rule.pk)]


def test_a_list_comes_in_pages(api):
    for number in range(5):
        make_rule(trigger=f"Case {number}")

    _, page = api.get("rules", sort="trigger", page=2, page_size=2)

    assert [item["trigger"] for item in page["items"]] == ["Case 2", "Case 3"]
    assert (page["count"], page["page"], page["page_size"]) == (5, 2, 2)


def test_a_new_rule_is_there_at_once(api):
    status, made = api.post("rules", WORDS | {"project_id": "shop-11111111"})

    assert status == 201
    assert made["status"] == "active"
    assert Rule.objects.get(short_id=made["short_id"]).history.get().by == "page"


def test_an_edit_changes_what_was_sent_and_nothing_else(api):
    rule = make_rule(rationale="it overwrites others' work")

    status, edited = api.patch(f"rules/{rule.short_id}", {"action": "Ask first"})

    assert (status, edited["action"]) == (200, "Ask first")
    assert edited["rationale"] == "it overwrites others' work"


def test_a_dismissal_can_be_taken_back(api):
    rule = make_rule()

    api.post(f"rules/{rule.short_id}/move", {"to": "archived"})
    _, back = api.post(f"rules/{rule.short_id}/move", {"to": "active"})
    _, shown = api.get(f"rules/{rule.short_id}")

    assert back["status"] == "active"
    assert [step["to_status"] for step in shown["history"]] == ["archived", "active"]


def test_many_rules_are_moved_at_once_and_those_that_cannot_be_are_named(api):
    rules = [make_rule(trigger=f"Case {number}") for number in range(2)]
    candidate = make_rule(trigger="Case 3", status="candidate")
    names = [rule.short_id for rule in (*rules, candidate)]

    _, moved = api.post("rules/move", {"rules": [*names, "ffffff"], "to": "dormant"})

    assert moved["moved"] == 2
    assert [candidate.short_id in moved["problems"][0], "ffffff" in moved["problems"][1]] == [True, True]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "detail"),
    [
        ("get", "rules/ffffff", None, 404, "No rule has the short_id ffffff"),
        ("get", "rules/no-id", None, 404, "is not a short_id"),
        ("post", "rules", {"trigger": "x", "action": "y"}, 422, "trigger has 1 characters"),
        ("post", "rules", WORDS | {"tool_pattern": "("}, 422, "tool_pattern is not a regular expression"),
        ("post", "rules", {"action": "y"}, 422, "What was sent is not as it should be."),
        ("patch", "rules", {}, 405, "PATCH is not possible at this address."),
        ("get", "nowhere", None, 404, "There is nothing at this address"),
    ],
)
def test_what_is_refused_says_why_in_problem_json(api, method, path, body, status, detail):
    code, problem = api.call(method, path, body)

    assert (code, problem["status"], api.type) == (status, status, PROBLEM_JSON)
    assert detail in problem["detail"]


def test_a_move_that_is_not_allowed_is_a_conflict(api):
    rule = make_rule(status="candidate")

    status, problem = api.post(f"rules/{rule.short_id}/move", {"to": "dormant"})

    assert status == 409
    assert "can only become" in problem["detail"]


def test_a_bad_field_is_named_without_repeating_what_was_sent(api):
    _, problem = api.post("rules", WORDS | {"confidence": "sk-secret-value"})

    assert [error["field"] for error in problem["errors"]] == ["body.words.confidence"]
    assert "sk-secret-value" not in str(problem)


def test_a_secret_in_an_old_row_is_not_told(api):
    key = "sk-ant-" + "a1B2c3D4e5F6g7H8" * 6
    rule = make_rule(action=f"Use {key}")

    _, shown = api.get(f"rules/{rule.short_id}")

    assert key not in str(shown)
