"""Random lives of rules, each beside a small reference model that says how they must have gone."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rules.authoring import add_rule, move_by_hand
from rules.drafts import RuleDraft
from rules.evidence import add_evidence
from rules.injections import PromptAnswer, ShownRule, record_injections
from rules.lifecycle import ALLOWED_MOVES, EVIDENCE_POINTS, Confidence, EvidenceKind, Mover, SourceType, Status
from rules.maintenance import ROW_SCANS, run_scans
from rules.models import Rule
from rules.refusals import MoveRefused
from rules.shadow_pool import record_shadow_hit
from rules.succession import Relation, supersede

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 10, 20, 22, 0, tzinfo=BERLIN)  # winter time begins five days later
HOME, ELSEWHERE = "home", ("a", "b", "c", "d")
MONTH = timedelta(days=30)
MOST_RULES = 3  # few, so that much happens to each
KINDS = st.tuples(
    st.sampled_from([SourceType.CORRECTION, SourceType.ANTI_PATTERN, SourceType.PREFERENCE]),
    st.sampled_from(Confidence),
)


@dataclass
class Expected:
    """What must be true of one rule."""

    source_type: str
    status: str
    created_at: datetime
    activated_at: datetime | None = None
    last_hit: datetime | None = None
    score: int = 0
    days: set[date] = field(default_factory=set)
    hits: int = 0
    shadow_hits: set[tuple[str, date]] = field(default_factory=set)
    witnessed: set[tuple[str, date]] = field(default_factory=set)
    is_global: bool = False
    successor: UUID | None = None
    waits_to_replace: dict[UUID, None] = field(default_factory=dict)  # in order

    def observe(self, kind, now):
        self.score += EVIDENCE_POINTS[kind]
        self.days.add(day_of(now))
        if self.status == "candidate" and self.score >= 2 and len(self.days) >= 2:
            self.activate(now)

    def activate(self, now):
        self.status, self.activated_at, self.successor = "active", now, None
        self.promote()

    def promote(self):
        projects = {project for project, _ in self.shadow_hits}
        self.is_global |= self.status == "active" and self.source_type != "preference" and len(projects) >= 3

    def meet(self, project, level, now):
        met = (project, day_of(now))
        if self.is_global or self.source_type == "preference" or self.status not in ("candidate", "active"):
            return
        self.shadow_hits.add(met)
        if level == "hot" and met not in self.witnessed:
            self.witnessed.add(met)
            self.observe(EvidenceKind.SHADOW_HOT, now)
        self.promote()

    def hit(self, now, *, counts):
        self.last_hit = max(self.last_hit or now, now)
        self.hits += counts

    @property
    def last_used(self):
        return max(moment for moment in (self.last_hit, self.activated_at, self.created_at) if moment)


def day_of(moment):
    return moment.astimezone(BERLIN).date()


class Lives(RuleBasedStateMachine):
    """Every step happens to the rules and to what is expected of them."""

    names = Bundle("names")

    def __init__(self):
        super().__init__()
        Rule.objects.all().delete()
        self.now = START
        self.expected: dict[UUID, Expected] = {}
        self.kept_zone = timezone.override(BERLIN)
        self.kept_zone.__enter__()

    def teardown(self):
        self.kept_zone.__exit__(None, None, None)

    def living(self, name, *statuses):
        """The rule with what is expected of it; (None, None) when it is gone or in another status."""
        known = self.expected.get(name)
        is_meant = known and (not statuses or known.status in statuses)
        return (Rule.objects.get(pk=name), known) if is_meant else (None, None)

    @initialize(target=names, kinds=st.lists(KINDS, min_size=2, max_size=MOST_RULES))
    def begin(self, kinds):
        return multiple(*(self.learn_one(*kind) for kind in kinds))

    @precondition(lambda self: len(self.expected) < MOST_RULES)
    @rule(target=names, kind=KINDS)
    def learn(self, kind):
        return self.learn_one(*kind)

    def learn_one(self, source_type, confidence):
        draft = RuleDraft(trigger="When", action="Do", source_type=source_type, confidence=confidence, project_id=HOME)
        made = add_rule(draft, by=Mover.EXTRACTION, now=self.now)
        known = Expected(source_type=source_type, status="candidate", created_at=self.now)
        if (source_type, confidence) == ("correction", "high"):
            known.status, known.activated_at = "active", self.now
            known.observe(EvidenceKind.USER_CORRECTION, self.now)
        self.expected[made.pk] = known
        return made.pk

    @rule(hours=st.integers(1, 30))
    def hours_pass(self, hours):
        self.now += timedelta(hours=hours)

    @rule(days=st.sampled_from([7, 19, 20, 21, 29, 30, 31, 39, 40, 41]))
    def weeks_pass(self, days):
        self.now += timedelta(days=days)

    @rule(hours=st.integers(1, 72))
    def the_clock_goes_back(self, hours):
        self.now -= timedelta(hours=hours)

    @rule(name=names, kind=st.sampled_from([EvidenceKind.USER_CORRECTION, EvidenceKind.SAME_EXTRACTION]))
    def something_speaks_for_it(self, name, kind):
        row, known = self.living(name)
        if row:
            add_evidence(row, kind, now=self.now)
            known.observe(kind, self.now)

    @rule(
        name=names,
        projects=st.lists(st.sampled_from((*ELSEWHERE, HOME)), min_size=1, max_size=4),
        level=st.sampled_from(["hot", "warm"]),
    )
    def other_projects_meet_it(self, name, projects, level):
        row, known = self.living(name)
        for project in projects:
            record_shadow_hit(str(name), project_id=project, level=level, now=self.now)
            if row and project != HOME:
                known.meet(project, level, self.now)

    @rule(name=names, level=st.sampled_from(["hot", "warm"]), is_filed_twice=st.booleans())
    def it_is_shown(self, name, level, is_filed_twice):
        row, known = self.living(name, "active", "dormant")
        if row:
            answer = self.answer(shown=[ShownRule(rule_id=name, level=level, is_full=True)])
            for _ in range(1 + is_filed_twice):
                record_injections(answer)
            known.hit(self.now, counts=level == "hot")

    @rule(name=names)
    def a_prompt_comes_as_close_as_hot(self, name):
        row, known = self.living(name, "dormant")
        record_injections(self.answer(reactivated=[name]))
        if row:
            known.hit(self.now, counts=True)
            known.activate(self.now)

    @rule(name=names, target_status=st.sampled_from(["active", "dormant", "archived"]))
    def somebody_moves_it(self, name, target_status):
        row, known = self.living(name)
        if not row:
            return
        if target_status not in (known.status, *ALLOWED_MOVES[known.status]):
            with pytest.raises(MoveRefused):
                move_by_hand(row, Status(target_status), by=Mover.COMMAND, now=self.now)
            return
        is_moved = move_by_hand(row, Status(target_status), by=Mover.COMMAND, now=self.now)
        assert is_moved is (known.status != target_status)
        if is_moved and target_status == "active":
            known.activate(self.now)
        elif is_moved:
            known.status, known.successor = target_status, None

    @rule(old=names, new=names)
    def a_newer_rule_takes_its_place(self, old, new):
        row, known = self.living(old)
        successor, its = self.living(new)
        if row and successor and old != new:
            supersede(row, successor, relation=Relation.BROADER, by=Mover.EXTRACTION, now=self.now)
            if its.status != "active" and known.status in ("active", "dormant"):
                its.waits_to_replace.setdefault(old)
            else:
                self.expect_merge(old, new)

    def expect_merge(self, old, new):
        known = self.expected.get(old)
        if known and known.status in ("candidate", "active", "dormant"):
            known.status, known.successor = "merged", new

    def expect_replacements(self):
        """A rule that is active takes the places that it waited for."""
        for name, known in self.expected.items():
            if known.status == "active":
                for old in known.waits_to_replace:
                    self.expect_merge(old, name)
                known.waits_to_replace.clear()

    @precondition(lambda self: self.expected)
    @rule()
    def maintenance_runs(self):
        reports = run_scans(ROW_SCANS, now=self.now, only_due=False)
        assert [report.problem for report in reports if report.problem] == []
        for known in self.expected.values():
            if known.status == "active" and known.last_used <= self.now - MONTH:
                known.status = "dormant"
        if self.forget_old_candidates():
            self.expect_unmerge()
        self.expect_unmerge()

    def forget_old_candidates(self):
        today = day_of(self.now)
        limits = {"anti_pattern": timedelta(days=40)}
        old = [
            name
            for name, known in self.expected.items()
            if known.status == "candidate"
            and today - day_of(known.created_at) >= limits.get(known.source_type, timedelta(days=20))
        ]
        for name in old:
            del self.expected[name]
        for known in self.expected.values():
            if known.successor in old:
                known.successor = None
        return old

    def expect_unmerge(self):
        lost = [
            known
            for known in self.expected.values()
            if known.status == "merged"
            and (known.successor is None or self.expected[known.successor].status in ("dormant", "archived"))
        ]
        for known in lost:
            known.status, known.successor = "dormant", None

    def answer(self, *, shown=(), reactivated=()):
        return PromptAnswer(
            note_id=str(uuid4()), session_id="s", prompt_key="p", project_id=HOME, at=self.now,
            shown=shown, reactivated=reactivated,
        )  # fmt: skip

    @invariant()
    def every_rule_is_as_expected(self):
        self.expect_replacements()
        rows = {row.pk: row for row in Rule.objects.all()}
        assert rows.keys() == self.expected.keys()
        for name, known in self.expected.items():
            row = rows[name]
            assert (row.status, row.evidence_score, row.hit_count) == (known.status, known.score, known.hits)
            assert (row.last_hit, row.activated_at) == (known.last_hit, known.activated_at)
            assert (row.project_scope == "global", row.superseded_by_id) == (known.is_global, known.successor)
            assert row.shadow_hit_count == len(known.shadow_hits)
            assert (row.archived_reason != "") is (known.status == "archived")

    @invariant()
    def no_observation_is_lost(self):
        for row in Rule.objects.prefetch_related("evidence", "shadow_hits"):
            known = self.expected[row.pk]
            assert sum(seen.points for seen in row.evidence.all()) == known.score
            assert {seen.day for seen in row.evidence.all()} == known.days
            assert len({hit.project_id for hit in row.shadow_hits.all()}) == len({met for met, _ in known.shadow_hits})

    @invariant()
    def the_history_leads_to_the_status(self):
        for row in Rule.objects.prefetch_related("history"):
            steps = sorted(row.history.all(), key=lambda step: step.pk)
            statuses = [step.to_status for step in steps]
            assert statuses[-1] == row.status
            assert [step.from_status for step in steps] == ["", *statuses[:-1]]
            assert all(
                step.to_status in (step.from_status, *ALLOWED_MOVES[Status(step.from_status)]) for step in steps[1:]
            )


@pytest.mark.django_db
def test_random_lives_go_as_the_reference_model_says():
    run_state_machine_as_test(Lives, settings=settings(max_examples=40, stateful_step_count=50, deadline=None))
