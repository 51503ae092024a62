"""The agent's side in the API: what was shown, one session prompt by prompt, what a prompt would meet."""

from datetime import timedelta

import pytest
from django.utils import timezone

from hooks.models import AgentSession, GateDecision, HookCall, HookFailure
from retrieval.publish import publish_all
from rules.models import Injection
from tests.factories import NOW, make_rule


def inject(rule, *, minute=0, note="n1", **changes):
    values = {"session_id": "s1", "prompt_key": "p1", "level": "hot", "project_id": "shop-11111111"}
    return Injection.objects.create(rule=rule, at=NOW + timedelta(minutes=minute), note_id=note, **values | changes)


def decide(rule, *, minute, note, **changes):
    values = {"session_id": "s1", "answer": "deny", "tool_name": "Bash", "short_id": rule.short_id}
    return GateDecision.objects.create(rule=rule, at=NOW + timedelta(minutes=minute), note_id=note, **values | changes)


def open_session(**changes):
    values = {"session_id": "s1", "host": "claude", "project_id": "shop-11111111", "cwd": "/app"}
    return AgentSession.objects.create(started_at=NOW, last_activity=NOW, **values | changes)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({}, ["late", "other", "early"]),
        ({"level": "hot"}, ["late", "early"]),
        ({"session_id": "s2"}, ["other"]),
        ({"project_id": "web-22222222"}, ["other"]),
    ],
    ids=str,
)
def test_injections_are_told_newest_first_and_filtered(api, wish, expected):
    rule = make_rule()
    inject(rule, prompt_key="early")
    inject(rule, minute=1, note="n2", prompt_key="other", session_id="s2", level="warm", project_id="web-22222222")
    inject(rule, minute=2, note="n3", prompt_key="late")

    _, page = api.get("injections", **wish)

    assert [item["prompt_key"] for item in page["items"]] == expected


def test_injections_of_one_rule_are_found_by_its_short_id(api):
    rule, other = make_rule(), make_rule(trigger="Something else")
    inject(rule)
    inject(other)

    _, page = api.get("injections", rule=other.short_id)

    assert [item["trigger"] for item in page["items"]] == ["Something else"]


def test_a_session_is_told_prompt_by_prompt_with_what_the_gate_did(api):
    rule = make_rule()
    open_session()
    inject(rule, minute=1, note="n1", prompt_key="first")
    decide(rule, minute=2, note="g1")
    decide(rule, minute=3, note="g2", answer="passed")
    inject(rule, minute=4, note="n2", prompt_key="second", level="warm")

    _, story = api.get("sessions/s1")

    assert story["session"]["cwd"] == "/app"
    assert [prompt["prompt_key"] for prompt in story["prompts"]] == ["second", "first"]
    assert [answer["answer"] for answer in story["prompts"][1]["gate"]] == ["deny", "passed"]
    assert story["prompts"][0]["gate"] == []


def test_a_gate_that_outlived_the_row_of_its_prompt_is_told_as_well(api):
    decide(make_rule(), minute=2, note="g1")

    _, story = api.get("sessions/s1")

    assert [(prompt["prompt_key"], len(prompt["gate"])) for prompt in story["prompts"]] == [("", 1)]


def test_a_session_that_nobody_knows_is_not_found(api):
    status, problem = api.get("sessions/nobody")

    assert status == 404
    assert "nobody" in problem["detail"]


def test_sessions_are_filtered_by_host_and_whether_they_are_open(api):
    open_session()
    open_session(session_id="s2", host="cursor")
    open_session(session_id="s3", ended_at=NOW)

    _, page = api.get("sessions", host="claude", is_open="true")

    assert [item["session_id"] for item in page["items"]] == ["s1"]


def test_calls_come_with_their_quantiles(api):
    HookCall.objects.create(
        day="2999-01-01", event="user-prompt-submit", host="claude", calls=4, buckets=[0, 0, 0, 0, 4], last_at=NOW
    )

    _, page = api.get("hook-calls")

    assert (page["items"][0]["p50_ms"], page["items"][0]["p95_ms"]) == (12.0, 15.6)


def test_failures_are_told_newest_first(api):
    HookFailure.objects.create(event="prompt", error="OSError", message="disk is full", at=NOW, note_id="f1")

    _, page = api.get("hook-failures")

    assert [item["message"] for item in page["items"]] == ["disk is full"]


def test_projects_of_rules_and_of_sessions_can_be_chosen(api):
    make_rule(project_id="shop-11111111")
    open_session(project_id="Web-22222222")

    _, projects = api.get("projects")

    assert [(project["name"], project["rules"]) for project in projects] == [("shop", 1), ("Web", 0)]


@pytest.mark.django_db(transaction=True)
def test_a_prompt_is_explained_as_the_hook_would_answer_it(api):
    rule = make_rule(variants=["git push --force"])
    publish_all(calibrate=True)

    _, told = api.post("retrieve", {"prompt": "I'll just git push --force this shared branch"})

    assert [hit["short_id"] for hit in told["hot"]] == [rule.short_id]
    assert told["gate"]["would_block"] is True
    assert rule.action in told["injected_text"]


def test_without_published_rules_the_answer_says_so(api):
    status, problem = api.post("retrieve", {"prompt": "anything"})

    assert status == 409
    assert problem["detail"]


def test_what_the_calls_of_an_event_cost_is_told_for_all_hosts_together(api):
    today = timezone.localdate()
    for host, slowest_ms in (("claude", 40.0), ("cursor", 90.0)):
        buckets = [0] * 5 + [2]
        values = {"calls": 2, "slowest_ms": slowest_ms, "buckets": buckets, "last_at": timezone.now()}
        HookCall.objects.create(day=today, event="user-prompt-submit", host=host, **values)

    _, (cost,) = api.get("hook-costs", days=1)

    assert (cost["event"], cost["calls"], cost["slowest_ms"]) == ("user-prompt-submit", 4, 90.0)
    assert 16 <= cost["p50_ms"] < cost["p95_ms"] <= 32
