"""The README's life of a rule, sentence by sentence: each case is one sentence, its key words are the case's id.

What a scan of maintenance promises stands in test_maintenance_promises.py.
"""

import io
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import call_command

from hooks.explain import Lens, explain
from hooks.filing import file_notes
from nokori_site.status import look_over, render
from retrieval.publish import publish_all
from rules.authoring import add_rule, dismiss_rule, move_by_hand
from rules.drafts import RuleDraft
from rules.evidence import add_evidence
from rules.injections import PromptAnswer, ShownRule, record_injections
from rules.lifecycle import EvidenceKind, Mover, Status
from rules.maintenance import ROW_SCANS, run_scans
from rules.models import Injection, Rule
from rules.shadow_pool import record_shadow_hit
from tests.factories import NOW, make_rule
from tests.hooks.spooled import match, note, spool

pytestmark = pytest.mark.django_db(transaction=True)  # publishing reads what is committed

DAY = timedelta(days=1)
TRIGGER = "Force pushing to a shared branch"
LENS = Lens(budget_chars=1500, verb="dismiss", is_gate_on=True)
CASES: dict[str, Callable[..., None]] = {}


def sentence(key_words):
    """Registers a case under the key words of its sentence."""

    def register(case):
        assert key_words not in CASES
        CASES[key_words] = case
        return case

    return register


def prompt_with(rule, folder, *, project_id="home-1"):
    """What a prompt with the rule's trigger gets: is the rule in the text, and would it gate?"""
    publish_all(calibrate=True)
    answer = explain(TRIGGER, folder=folder, project_id=project_id, lens=LENS)
    return rule.action in answer.injection.text, answer.gate_rule is not None


def tier_of(rule, folder, *, project_id="home-1"):
    publish_all(calibrate=True)
    hits = explain(TRIGGER, folder=folder, project_id=project_id, lens=LENS).ranking.hits
    return {hit.document.short_id: hit.tier for hit in hits.formal}.get(rule.short_id)


def add(**changes):
    return add_rule(RuleDraft(trigger=TRIGGER, action="Ask first", **changes), by=Mover.COMMAND, now=NOW)


def show(rule, level, *, at=NOW):
    shown = [ShownRule(rule_id=rule.pk, level=level, is_full=True)]
    answer(shown=shown, at=at)


def answer(*, shown=(), reactivated=(), at=NOW):
    record_injections(
        PromptAnswer(
            note_id=str(uuid4()), session_id="s", prompt_key="p", project_id="home-1", at=at,
            shown=shown, reactivated=reactivated,
        )
    )  # fmt: skip


def meet(rule, *projects, level="hot", at=NOW):
    return [record_shadow_hit(str(rule.pk), project_id=project, level=level, now=at) for project in projects]


def run(scan, *, at=NOW):
    run_scans([row for row in ROW_SCANS if row.name == scan], now=at, only_due=False)


def fresh(rule):
    return Rule.objects.get(pk=rule.pk)


# The table of statuses


@sentence("candidate: not in reminders, not gated")
def _(folder):
    assert prompt_with(make_rule(status="candidate", project_id="home-1"), folder) == (False, False)


@sentence("active: in reminders, gated when HOT and the type matches")
def _(folder):
    assert prompt_with(make_rule(), folder) == (True, True)


@sentence("active: not gated when the type does not match")
def _(folder):
    assert prompt_with(make_rule(source_type="solution"), folder) == (True, False)


@sentence("dormant: in reminders, but at most WARM; not gated")
def _(folder):
    rule = make_rule(status="dormant")

    assert prompt_with(rule, folder) == (True, False)
    assert tier_of(rule, folder) == "warm"


@sentence("merged: not in reminders, not gated; superseded by a newer rule")
def _(folder):
    rule = make_rule(status="merged", superseded_by=make_rule(trigger="Cooking rice", action="Rinse it"))

    assert prompt_with(rule, folder) == (False, False)


@sentence("archived: not in reminders, not gated; you dismissed it")
def _(folder):
    rule = make_rule()
    dismiss_rule(rule, by=Mover.COMMAND, now=NOW)

    assert fresh(rule).status == "archived"
    assert prompt_with(rule, folder) == (False, False)


# How a rule turns active


@sentence("manual add: a high correction goes straight to active, with initial user_correction evidence")
def _(folder):
    rule = add(source_type="correction", confidence="high")

    assert rule.status == "active"
    assert [row.kind for row in rule.evidence.all()] == ["user_correction"]


@sentence("manual add: any other is a candidate at first")
def _(folder):
    assert add(source_type="correction", confidence="medium").status == "candidate"
    assert add(source_type="anti_pattern", confidence="high").status == "candidate"


@sentence("evidence-based activation: evidence_score >= 2 spanning >= 2 days")
def _(folder):
    rule = make_rule(status="candidate")

    add_evidence(rule, EvidenceKind.SAME_EXTRACTION, now=NOW)
    add_evidence(rule, EvidenceKind.SAME_EXTRACTION, now=NOW + DAY)

    assert (fresh(rule).status, fresh(rule).evidence_score) == ("active", 2)


@sentence("evidence-based activation: one day is not enough, whatever the score")
def _(folder):
    rule = make_rule(status="candidate")

    for _ in range(5):
        add_evidence(rule, EvidenceKind.SAME_EXTRACTION, now=NOW)

    assert (fresh(rule).status, fresh(rule).evidence_score) == ("candidate", 5)


@sentence("evidence-based activation: including cross-project shadow_hot")
def _(folder):
    rule = make_rule(status="candidate", project_id="home-1")

    meet(rule, "web-1")
    meet(rule, "web-1", at=NOW + DAY)

    assert fresh(rule).status == "active"


# last_hit and hit_count


@sentence("last_hit: refreshed by a HOT or WARM injection that was written to context")
def _(folder):
    for level in ("hot", "warm"):
        rule = make_rule()
        show(rule, level)
        assert fresh(rule).last_hit == NOW


@sentence("last_hit: not by what the budget cut off")
def _(folder):
    rule = make_rule()

    answer(shown=())

    assert fresh(rule).last_hit is None
    assert not Injection.objects.exists()


@sentence("last_hit: refreshed when a dormant rule reactivates this turn")
def _(folder):
    rule = make_rule(status="dormant")

    answer(reactivated=[rule.pk])

    assert fresh(rule).last_hit == NOW


@sentence("last_hit: if it is missing, created_at stands in")
def _(folder):
    old, young = make_rule(created_at=NOW - 30 * DAY), make_rule(created_at=NOW - 29 * DAY)

    run("dormant")

    assert (fresh(old).status, fresh(young).status) == ("dormant", "active")


@sentence("hit_count: increments at a HOT injection")
def _(folder):
    rule = make_rule()

    show(rule, "hot")

    assert fresh(rule).hit_count == 1


@sentence("hit_count: increments when a dormant rule reactivates")
def _(folder):
    rule = make_rule(status="dormant")

    answer(shown=[ShownRule(rule_id=rule.pk, level="warm", is_full=False)], reactivated=[rule.pk])

    assert fresh(rule).hit_count == 1


@sentence("hit_count: in exactly these two places, so not at WARM, not by shadow hits or evidence")
def _(folder):
    rule = make_rule(project_id="home-1")

    show(rule, "warm")
    meet(rule, "web-1")
    add_evidence(rule, EvidenceKind.USER_CORRECTION, now=NOW)

    assert fresh(rule).hit_count == 0


# Dormant reactivation


@sentence("reactivation: this turn it still injects as WARM, no gate firing")
def _(folder):
    rule = make_rule(status="dormant")

    assert prompt_with(rule, folder) == (True, False)


@sentence("reactivation: the database flips it back to active and refreshes last_hit")
def _(folder):
    rule = make_rule(status="dormant")
    spool(folder, note("prompt", shown=[match(rule, "warm")], reactivated=[match(rule)]))

    file_notes(folder, now=NOW)

    assert (fresh(rule).status, fresh(rule).last_hit, fresh(rule).hit_count) == ("active", NOW, 1)


@sentence("reactivation: from the next turn on it is a normal active rule, HOT and able to gate")
def _(folder):
    rule = make_rule(status="dormant")

    answer(reactivated=[rule.pk])

    assert tier_of(rule, folder) == "hot"
    assert prompt_with(rule, folder) == (True, True)


@sentence("reactivation: gates only if the type is correction or anti_pattern")
def _(folder):
    rule = make_rule(status="dormant", source_type="solution")

    answer(reactivated=[rule.pk])

    assert prompt_with(rule, folder) == (True, False)


# Global promotion


@sentence("promotion: only the formal pool injects; a shadow hit never enters the chat")
def _(folder):
    rule = make_rule(project_id="home-1")

    assert prompt_with(rule, folder, project_id="web-1") == (False, False)


@sentence("promotion: a shadow pool hit at HOT or WARM records one shadow hit")
def _(folder):
    for level in ("hot", "warm"):
        rule = make_rule(project_id="home-1")
        meet(rule, "web-1", level=level)
        assert (rule.shadow_hits.count(), fresh(rule).shadow_hit_count) == (1, 1)


@sentence("promotion: three distinct project_ids promote to global without a confirmation step")
def _(folder):
    rule = make_rule(project_id="home-1")

    meet(rule, "a-1", "b-1", "c-1", level="warm")

    assert fresh(rule).project_scope == "global"
    assert prompt_with(rule, folder, project_id="elsewhere-1") == (True, True)


@sentence("promotion: preference rules do not take part")
def _(folder):
    rule = make_rule(project_id="home-1", source_type="preference")

    assert meet(rule, "a-1", "b-1", "c-1") == [False] * 3
    assert fresh(rule).project_scope == "project"


# Shadow pool


@sentence("shadow pool: at most 1 hit per other project and calendar day")
def _(folder):
    rule = make_rule(project_id="home-1")

    assert meet(rule, "web-1", "web-1", "web-1") == [True, False, False]
    assert meet(rule, "web-1", at=NOW + DAY) == [True]


@sentence("shadow pool: the same project on many days is still one project")
def _(folder):
    rule = make_rule(project_id="home-1")

    for day in range(10):
        meet(rule, "web-1", at=NOW + day * DAY)

    assert fresh(rule).project_scope == "project"


@sentence("shadow pool: a brand-new project with no rules still takes part")
def _(folder):
    rule = make_rule(project_id="home-1")
    publish_all(calibrate=True)

    hits = explain(TRIGGER, folder=folder, project_id="brand-new-1", lens=LENS).ranking.hits

    assert [hit.document.short_id for hit in hits.shadow] == [rule.short_id]


@sentence("shadow pool: NOKORI_PROMOTION_ENABLED=0 disables it")
def _(folder):
    rule = make_rule(project_id="home-1")
    settings.NOKORI = replace(settings.NOKORI, promotion_enabled=False)

    assert meet(rule, "a-1", "b-1", "c-1") == [False] * 3
    assert fresh(rule).project_scope == "project"


@sentence("shadow pool: progress shows in status as shadow_hits and N/3 projects=")
def _(folder):
    rule = make_rule(project_id="home-1")
    meet(rule, "web-1", "api-1")

    told = render(look_over(folder, config=settings.NOKORI, now=NOW))

    assert f"{rule.short_id}: shadow_hits=2 2/3 projects=api-1,web-1" in told


@sentence("shadow hits and activation: a shadow HOT records add_evidence(shadow_hot, 1)")
def _(folder):
    rule = make_rule(project_id="home-1")

    meet(rule, "web-1", level="hot")
    meet(rule, "api-1", level="warm")

    assert [(row.kind, row.points, row.project_id) for row in rule.evidence.all()] == [("shadow_hot", 1, "web-1")]


@sentence("shadow hits and activation: hits over several days count toward a candidate's activation")
def _(folder):
    rule = make_rule(project_id="home-1", status="candidate")

    meet(rule, "web-1")
    assert fresh(rule).status == "candidate"
    meet(rule, "api-1", at=NOW + DAY)

    assert fresh(rule).status == "active"


@sentence("hits, reactivation and shadow counts are of the turn that made them, not of the next session")
def _(folder):
    hot, asleep, away = make_rule(), make_rule(status="dormant"), make_rule(project_id="web-1")
    content = note("prompt", shown=[match(hot)], reactivated=[match(asleep)], shadow=[match(away)])
    spool(folder, content)

    file_notes(folder, now=NOW + 9 * DAY)

    assert {fresh(rule).last_hit for rule in (hot, asleep)} == {NOW}
    assert away.shadow_hits.get().day == NOW.date()


# The other ways through the state machine


@sentence("state machine: dormant may reactivate or be archived")
def _(folder):
    for target in (Status.ACTIVE, Status.ARCHIVED):
        rule = make_rule(status="dormant")
        assert move_by_hand(rule, target, by=Mover.COMMAND, now=NOW)


@sentence("dismiss: retires a rule, and edit --status active takes it back")
def _(folder):
    rule = make_rule()
    call_command("dismiss", rule.short_id, stdout=io.StringIO())
    assert fresh(rule).status == "archived"

    call_command("edit", rule.short_id, "--status", "active", stdout=io.StringIO())

    assert (fresh(rule).status, fresh(rule).archived_reason) == ("active", "")


@sentence("dismiss: an archived rule is kept, so that it is not learned again")
def _(folder):
    rule = make_rule()
    dismiss_rule(rule, by=Mover.COMMAND, now=NOW)

    for scan in ROW_SCANS:
        run(scan.name, at=NOW + 3650 * DAY)

    assert fresh(rule).status == "archived"


@sentence("history: every move tells from, to, why, when and by whom, and show lists it")
def _(folder):
    rule = make_rule()
    dismiss_rule(rule, by=Mover.CHAT, now=NOW)
    out = io.StringIO()

    call_command("show", rule.short_id, stdout=out)

    step = rule.history.get()
    assert (step.from_status, step.to_status, step.why, step.by, step.at) == (
        "active", "archived", "dismissed in a chat", "chat", NOW,
    )  # fmt: skip
    assert "active > archived  by chat: dismissed in a chat" in out.getvalue()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_sentence_holds(case, data_folder):
    case(data_folder)
