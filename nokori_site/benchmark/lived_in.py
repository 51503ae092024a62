"""A data folder as months of use leave it: numbers in, rules with a past, sessions, injections, gate, jobs and calls out.

For pages under load and for looking at them. The first rules are written by hand, the others drawn; the same every time.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.utils.timezone import localdate

from extraction.models import ExtractJob, ExtractRun, TranscriptState
from hooks.latency import BUCKET_COUNT, bucket_number
from hooks.models import ANY_HOST, AgentSession, GateDecision, HookCall, HookFailure
from nokori_site.benchmark.varied_rules import varied_rules
from rules.lifecycle import EvidenceKind, Level, Mover, Scope, SourceType, Status, initial_status
from rules.models import Evidence, Injection, MaintenanceRun, Rule, ShadowHit, StatusChange

WRITTEN: list[dict[str, Any]] = json.loads(Path(__file__).with_name("lived_in.json").read_text(encoding="utf-8"))
PROJECTS = (
    "billing-api-1f0c9a3e",
    "ops-scripts-77b0d2c1",
    "web-90ac1be4",
    "mobile-app-3d5e8f02",
    "data-pipeline-b81c44d9",
)
DAYS = 30
BATCH = 2000
EVENTS = {"user-prompt-submit": 38, "pre-tool-use": 12, "session-start": 70, "session-end": 22}  # usual milliseconds
HOSTS = ("claude", "cursor")
STATUS_SHARES = ((0.62, Status.ACTIVE), (0.74, Status.DORMANT), (0.84, Status.CANDIDATE), (0.90, Status.MERGED))


@dataclass(frozen=True, kw_only=True)
class Life:
    """How much of everything there is to be."""

    rules: int = 60
    injections: int = 900
    jobs: int = 40
    sessions: int = 60


def live_in(life: Life, *, now: datetime, seed: int = 7) -> None:
    """Fills an empty database."""
    draw = random.Random(seed)  # noqa: S311  texts, not secrets
    rules = _rules(life.rules, draw=draw, now=now)
    _pasts(rules, draw=draw, now=now)
    sessions = _sessions(life.sessions, draw=draw, now=now)
    _injections(rules, sessions, count=life.injections, draw=draw, now=now)
    _jobs(sessions, count=life.jobs, draw=draw, now=now)
    _calls(draw=draw, now=now)


def _rules(count: int, *, draw: random.Random, now: datetime) -> list[Rule]:
    drawn = varied_rules(max(0, count - len(WRITTEN)))
    texts = [*WRITTEN[:count], *(vars(rule) for rule in drawn)]
    rules = [_rule(number, text, draw=draw, now=now) for number, text in enumerate(texts)]
    Rule.objects.bulk_create(rules, batch_size=1000)
    return rules


def _rule(number: int, text: dict[str, Any], *, draw: random.Random, now: datetime) -> Rule:
    age = timedelta(days=draw.randrange(1, 200), minutes=draw.randrange(1440))
    status = Status(text.get("status") or _drawn_status(draw))
    is_global = status != Status.CANDIDATE and draw.random() < 0.4
    values: dict[str, Any] = {
        "source_type": draw.choice(list(SourceType)),
        "confidence": draw.choice(["high", "medium"]),
    }
    values |= {name: value for name, value in text.items() if name != "status"}
    return Rule(
        short_id=f"{(number * 7_919 + 0xA3F2B1) % 0xFFFFFF:06x}",
        status=status,
        project_scope=Scope.GLOBAL if is_global else Scope.PROJECT,
        project_id=draw.choice(PROJECTS),
        archived_reason="dismissed by hand" if status == Status.ARCHIVED else "",
        created_at=now - age,
        updated_at=now - age * draw.random(),
        status_since=now - age * 0.7,
        activated_at=now - age * 0.7 if status in (Status.ACTIVE, Status.DORMANT) else None,
        **values,
    )


def _drawn_status(draw: random.Random) -> Status:
    chance = draw.random()
    return next((status for share, status in STATUS_SHARES if chance < share), Status.ARCHIVED)


def _pasts(rules: list[Rule], *, draw: random.Random, now: datetime) -> None:
    """Evidence, steps, shadow hits, and successors of the merged ones."""
    evidence, steps, hits = [], [], []
    for rule in rules:
        steps += _steps(rule)
        at = rule.created_at
        kinds = draw.choices(list(EvidenceKind), k=draw.randrange(1, 4))
        evidence += [
            Evidence(rule=rule, kind=kind, points=1, day=localdate(at), at=at, project_id=rule.project_id)
            for kind in kinds
        ]
        others = draw.sample(
            [project for project in PROJECTS if project != rule.project_id], draw.choice([0, 0, 1, 1, 2])
        )
        if rule.project_scope == Scope.PROJECT and rule.status in (Status.ACTIVE, Status.CANDIDATE):
            hits += [ShadowHit(rule=rule, project_id=project, day=localdate(now)) for project in others]
    Evidence.objects.bulk_create(evidence, batch_size=BATCH)
    StatusChange.objects.bulk_create(steps, batch_size=BATCH)
    ShadowHit.objects.bulk_create(hits, batch_size=BATCH)
    _supersede([rule for rule in rules if rule.status == Status.MERGED], rules)


def _steps(rule: Rule) -> list[StatusChange]:
    first = initial_status(rule.source_type, rule.confidence)
    born = StatusChange(rule=rule, to_status=first, why="found in a session", by=Mover.EXTRACTION, at=rule.created_at)
    if first == rule.status:
        return [born]
    why = {Status.ARCHIVED: "dismissed by hand", Status.DORMANT: "no hit for 30 days"}.get(
        Status(rule.status), "enough evidence"
    )
    moved = {"from_status": first, "to_status": rule.status, "why": why, "by": Mover.EVIDENCE, "at": rule.status_since}
    return [born, StatusChange(rule=rule, **moved)]


def _supersede(merged: list[Rule], rules: list[Rule]) -> None:
    heirs = [rule for rule in rules if rule.status == Status.ACTIVE]
    for number, rule in enumerate(merged if heirs else []):
        rule.superseded_by = heirs[number % len(heirs)]
    Rule.objects.bulk_update(merged, ["superseded_by"], batch_size=500)


def _sessions(count: int, *, draw: random.Random, now: datetime) -> list[AgentSession]:
    sessions = []
    for number in range(count):
        started = now - timedelta(days=DAYS) * (number / max(1, count)) - timedelta(minutes=draw.randrange(3, 50))
        project = draw.choice(PROJECTS)
        sessions.append(
            AgentSession(
                session_id=f"{draw.getrandbits(128):032x}",
                host=draw.choice(HOSTS),
                project_id=project,
                cwd=f"/home/you/{project[:-9]}",
                transcript_path=f"/home/you/.claude/projects/{project}/{number}.jsonl",
                started_at=started,
                last_activity=started + timedelta(minutes=draw.randrange(2, 40)),
                ended_at=None if number < 2 else started + timedelta(minutes=45),
                source="startup",
            )
        )
    AgentSession.objects.bulk_create(sessions, batch_size=BATCH)
    return sessions


def _injections(
    rules: list[Rule], sessions: list[AgentSession], *, count: int, draw: random.Random, now: datetime
) -> None:
    """The newer, the more of them; each HOT of a rule in use may have met the gate."""
    shown = [rule for rule in rules if rule.status in (Status.ACTIVE, Status.DORMANT)]
    rows = [_injection(number, shown, sessions, draw=draw, now=now) for number in range(count if shown else 0)]
    Injection.objects.bulk_create(rows, batch_size=BATCH)
    _count_hits(shown, rows)
    gated = [row for row in rows if row.level == Level.HOT][::9]
    GateDecision.objects.bulk_create(
        [_decision(row, answer) for row in gated for answer in ("deny", "passed")], batch_size=BATCH
    )


def _injection(
    number: int, rules: list[Rule], sessions: list[AgentSession], *, draw: random.Random, now: datetime
) -> Injection:
    at = now - timedelta(days=DAYS) * draw.random() ** 1.3 - timedelta(minutes=2)
    session = draw.choice(sessions)
    return Injection(
        rule=rules[int(len(rules) * draw.random() ** 2)],
        session_id=session.session_id,
        prompt_key=f"{draw.getrandbits(32):08x}",
        level=Level.HOT if draw.random() < 0.28 else Level.WARM,
        is_full=draw.random() < 0.6,
        project_id=session.project_id,
        at=at,
        note_id=f"lived-{number}",
    )


def _decision(shown: Injection, answer: str) -> GateDecision:
    later = timedelta(seconds=4 if answer == "deny" else 19)
    return GateDecision(
        rule=shown.rule,
        short_id=shown.rule.short_id,
        session_id=shown.session_id,
        answer=answer,
        tool_name="Bash",
        tool_use_id=f"toolu_{shown.note_id}",
        same_tool=True,
        at=shown.at + later,
        note_id=f"{shown.note_id}-{answer}",
    )


def _count_hits(rules: list[Rule], rows: list[Injection]) -> None:
    for row in rows:
        row.rule.hit_count += row.level == Level.HOT
        row.rule.last_hit = max(row.rule.last_hit or row.at, row.at)
    for rule in rules:
        rule.evidence_score = 3
    Rule.objects.bulk_update(rules, ["hit_count", "last_hit", "evidence_score"], batch_size=500)


def _jobs(sessions: list[AgentSession], *, count: int, draw: random.Random, now: datetime) -> None:
    run = ExtractRun.objects.create(
        is_automatic=True, started_at=now - timedelta(hours=3), finished_at=now - timedelta(hours=2)
    )
    jobs = [_job(number, draw.choice(sessions), run, draw=draw, now=now) for number in range(count)]
    ExtractJob.objects.bulk_create(jobs, batch_size=BATCH)
    paths = {job.transcript_path: job for job in jobs if job.status == "done"}
    states = [
        TranscriptState(transcript_path=path, offset=job.end_offset or 0, extracted_at=job.updated_at)
        for path, job in paths.items()
    ]
    TranscriptState.objects.bulk_create(states, batch_size=BATCH)


def _job(number: int, session: AgentSession, run: ExtractRun, *, draw: random.Random, now: datetime) -> ExtractJob:
    status = draw.choices(["done", "pending", "failed", "dead"], [84, 8, 5, 3])[0]
    created = now - timedelta(days=DAYS) * draw.random()
    size = draw.randrange(20_000, 4_000_000)
    errors = {"failed": "The transcript is gone.", "dead": "LlmTimeout: the model did not answer within 120 s."}
    return ExtractJob(
        note_id=f"lived-job-{number}",
        transcript_path=session.transcript_path,
        session_id=session.session_id,
        project_id=session.project_id,
        status=status,
        attempts={"done": 1, "pending": 0, "failed": 1, "dead": 3}[status],
        last_error=errors.get(status, ""),
        start_offset=0,
        end_offset=size if status == "done" else None,
        counts={"lines": size // 900, "candidates": 2, "inserted": 1} if status == "done" else {},
        run=run if status == "done" else None,
        created_at=created,
        updated_at=created + timedelta(minutes=4),
    )


def _calls(*, draw: random.Random, now: datetime) -> None:
    """Counts and milliseconds of each day, two failures, and what maintenance did."""
    rows = []
    for back in range(DAYS):
        at = now - timedelta(days=back, minutes=2)
        for event, usual in EVENTS.items():
            rows += [_timed(event, host, usual, draw=draw, at=at) for host in HOSTS]
            rows.append(
                HookCall(day=localdate(at), event=event, host=ANY_HOST, calls=draw.randrange(40, 400), last_at=at)
            )
    HookCall.objects.bulk_create(rows, batch_size=BATCH)
    HookFailure.objects.create(
        event="user-prompt-submit",
        host="cursor",
        error="IndexUnreadable",
        message="rules.idx was being replaced",
        at=now - timedelta(hours=5),
        note_id="lived-failure",
    )
    MaintenanceRun.objects.bulk_create(
        MaintenanceRun(scan=scan, ran_at=now - timedelta(hours=hours), summary={"deleted": hours})
        for scan, hours in (("dormant", 20), ("candidates", 300), ("injections", 20), ("logs", 0), ("space", 9))
    )


def _timed(event: str, host: str, usual: int, *, draw: random.Random, at: datetime) -> HookCall:
    times = [usual * draw.lognormvariate(0, 0.35) for _ in range(draw.randrange(10, 60))]
    buckets = [0] * BUCKET_COUNT
    for ms in times:
        buckets[bucket_number(ms)] += 1
    return HookCall(
        day=localdate(at),
        event=event,
        host=host,
        calls=len(times),
        total_ms=sum(times),
        slowest_ms=max(times),
        buckets=buckets,
        last_at=at,
    )
