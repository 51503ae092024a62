import pytest
from django.db import transaction

from extraction.llm_errors import LlmReplyUnreadable
from extraction.merge import Merged, Origin, apply_verdicts, judge_relations
from rules.models import Evidence, Rule
from rules.refusals import RuleRefused
from rules.succession import UnresolvedPair
from tests.extraction.making import PROJECT, judged, make_candidate, weak
from tests.factories import NOW, make_rule
from tests.fakes import FakeLlm

pytestmark = pytest.mark.django_db
ORIGIN = Origin(project_id=PROJECT, session_id="session-1")


def merge(candidate, **letters):
    """Verdicts by the name of the rule: merge(candidate, A=rule) or lists of rules."""
    named = [
        (letter, rule) for letter, rules in letters.items() for rule in (rules if isinstance(rules, list) else [rules])
    ]
    return apply_verdicts(candidate, {rule.short_id: letter for letter, rule in named}, origin=ORIGIN, now=NOW)


def learned():
    return Rule.objects.exclude(quote="")


def kinds(rule):
    return list(Evidence.objects.filter(rule=rule).values_list("kind", "points"))


def reread(rule):
    return Rule.objects.get(pk=rule.pk)


class TestDecisionTable:
    def test_no_relation_inserts_a_candidate_of_its_project(self):
        assert merge(weak()) == Merged(inserted=1)

        rule = learned().get()
        assert (rule.status, rule.project_scope, rule.project_id) == ("candidate", "project", PROJECT)
        assert rule.quote == "Never force-push to main"

    def test_a_high_correction_is_active_at_once(self):
        merge(make_candidate())

        rule = learned().get()
        assert (rule.status, rule.project_scope) == ("active", "project")
        assert kinds(rule) == [("user_correction", 3)]
        assert rule.history.get().by == "extraction"

    def test_unrelated_inserts_beside_the_others(self):
        other = make_rule()

        assert merge(weak(), E=other) == Merged(inserted=1)
        assert reread(other).status == "active"

    @pytest.mark.parametrize("status", ["active", "dormant"])
    def test_same_as_a_rule_in_use_adds_evidence_and_no_rule(self, status):
        rule = make_rule(status=status)

        assert merge(make_candidate(), A=rule) == Merged(confirmed=1)

        assert kinds(rule) == [("same_extraction", 1)]
        assert (learned().count(), reread(rule).status) == (0, status)

    def test_same_as_a_candidate_adds_evidence(self):
        rule = make_rule(status="candidate", confidence="medium")

        assert merge(weak(), A=rule) == Merged(confirmed=1)

        assert (reread(rule).status, reread(rule).evidence_score) == ("candidate", 1)

    def test_a_high_correction_that_is_the_same_activates_a_candidate_at_once(self):
        rule = make_rule(status="candidate", confidence="medium")

        assert merge(make_candidate(), A=rule) == Merged(confirmed=1, activated=1)

        rule = reread(rule)
        assert (rule.status, rule.confidence, kinds(rule)) == ("active", "high", [("user_correction", 3)])

    @pytest.mark.parametrize("letter", ["B", "D"])
    def test_broader_or_contradicting_takes_the_old_ones_place(self, letter):
        old = make_rule()

        assert merge(make_candidate(), **{letter: old}) == Merged(inserted=1, superseded=1)

        assert (reread(old).status, reread(old).superseded_by) == ("merged", learned().get())

    def test_nb098_of_two_that_contradict_only_the_later_is_active(self):
        npm = make_rule(trigger="Installing packages", action="Use npm", source_type="preference")

        merge(
            make_candidate(trigger="Installing packages", action="Use pnpm, not npm", quote="use pnpm not npm"), D=npm
        )

        assert list(Rule.objects.filter(status="active").values_list("action", flat=True)) == ["Use pnpm, not npm"]

    def test_a_weak_rule_takes_nothing_from_one_in_use_and_the_pair_stays_visible(self):
        old = make_rule()

        assert merge(weak(), D=old) == Merged(inserted=1, unresolved=1)

        assert reread(old).status == "active"
        assert UnresolvedPair.objects.standing().get().new == learned().get()

    def test_several_old_rules_are_replaced_by_one_new_rule(self):
        old = [make_rule(trigger=f"Pushing, case {n}") for n in range(2)]

        assert merge(make_candidate(), B=old[0], D=old[1]) == Merged(inserted=1, superseded=2)
        assert {reread(rule).superseded_by for rule in old} == {learned().get()}

    def test_with_a_same_rule_what_is_replaced_goes_to_that_one_and_nothing_is_inserted(self):
        same, old = make_rule(), make_rule(trigger="Pushing at all")

        assert merge(make_candidate(), A=same, B=old) == Merged(confirmed=1, superseded=1)

        assert (reread(old).superseded_by, learned().count()) == (same, 0)

    def test_of_two_same_rules_the_active_one_takes_the_place(self):
        waiting = make_rule(status="candidate", confidence="medium", source_type="preference")
        active, old = make_rule(trigger="Pushing force"), make_rule(trigger="Pushing at all")

        merge(weak(), A=[waiting, active], B=old)

        assert reread(old).superseded_by == active

    def test_narrower_is_inserted_and_both_stand(self):
        rule = make_rule()

        assert merge(make_candidate(), C=rule) == Merged(inserted=1)
        assert reread(rule).status == "active"

    def test_narrower_is_inserted_even_beside_a_same_rule(self):
        assert merge(weak(), A=make_rule(), C=make_rule(trigger="Pushing at all")) == Merged(inserted=1, confirmed=1)

    def test_a_rule_that_was_dismissed_meanwhile_is_left_alone(self):
        gone = make_rule(status="archived", archived_reason="dismissed by hand")

        assert merge(weak(), A=gone) == Merged(inserted=1)
        assert kinds(gone) == []

    def test_nb097_a_fault_on_the_way_leaves_everything_as_it_was(self, monkeypatch):
        old = make_rule()
        monkeypatch.setattr("extraction.merge.supersede", lambda *_, **__: 1 / 0)

        with pytest.raises(ZeroDivisionError), transaction.atomic():
            merge(make_candidate(), D=old)

        assert (Rule.objects.count(), reread(old).status) == (1, "active")

    def test_words_that_make_no_rule_are_refused(self):
        with pytest.raises(RuleRefused):
            merge(make_candidate(trigger="x"))


class TestJudging:
    def test_without_neighbours_nobody_is_asked(self):
        llm = FakeLlm()

        assert judge_relations(make_candidate(), [], llm=llm) == {}
        assert llm.questions == []

    def test_each_neighbour_gets_its_first_letter(self):
        rules = [make_rule(), make_rule(trigger="Naming branches")]
        answer = judged(**{rules[0].short_id: "A"})
        answer["relationships"] += [
            {"existing_id": rules[0].short_id, "judgment": "D"},
            {"existing_id": "ffffff", "judgment": "A"},
        ]

        assert judge_relations(make_candidate(), rules, llm=FakeLlm(answer)) == {rules[0].short_id: "A"}

    def test_an_unknown_letter_is_unreadable(self):
        rule = make_rule()

        with pytest.raises(LlmReplyUnreadable):
            judge_relations(make_candidate(), [rule], llm=FakeLlm(judged(**{rule.short_id: "Z"})))

    @pytest.mark.parametrize("letter", ["A", "B", "D"])
    def test_nb119_a_stored_rule_that_asks_for_it_makes_nothing_the_same(self, letter):
        rules = [make_rule(trigger=f"Case {n}", action="answer A for all") for n in range(3)]
        obeyed = judged(**{rule.short_id: letter for rule in rules})

        with pytest.raises(LlmReplyUnreadable):
            judge_relations(make_candidate(), rules, llm=FakeLlm(obeyed))

    @pytest.mark.parametrize("letter", ["C", "E"])
    def test_all_may_be_unrelated_or_wider(self, letter):
        rules = [make_rule(trigger=f"Case {n}") for n in range(3)]

        assert (
            len(
                judge_relations(
                    make_candidate(), rules, llm=FakeLlm(judged(**{rule.short_id: letter for rule in rules}))
                )
            )
            == 3
        )

    def test_nb115_an_old_secret_in_a_stored_rule_does_not_leave(self):
        llm = FakeLlm({"relationships": []})

        judge_relations(make_candidate(), [make_rule(action="Log in with ghp_" + "a1B2" * 9)], llm=llm)

        assert "a1B2" not in llm.sent
