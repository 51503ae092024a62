"""Eight processes at the same rule: every observation counts, every move has its row, nobody finds the database locked."""

import json
import subprocess
import sys
from itertools import pairwise

from tests.conftest import MANAGE

PROCESSES, ROUNDS = 8, 15
WORK = f"""
import sys
from datetime import timedelta
from django.utils import timezone
from rules.authoring import find_rule, move_by_hand
from rules.evidence import add_evidence
from rules.injections import PromptAnswer, ShownRule, record_injections
from rules.lifecycle import EvidenceKind, Mover, Status
from rules.refusals import MoveRefused
from rules.shadow_pool import record_shadow_hit

rule = find_rule("SHORT_ID")
for number in range({ROUNDS}):
    now = timezone.now() + timedelta(days=number % 3)
    add_evidence(rule, EvidenceKind.SAME_EXTRACTION, now=now)
    record_shadow_hit(str(rule.pk), project_id="process-NUMBER", level="warm", now=now)
    shown = [ShownRule(rule_id=rule.pk, level="hot", is_full=True)]
    record_injections(PromptAnswer(note_id=f"NUMBER-{{number}}", session_id="s", prompt_key="p", project_id="p", at=now, shown=shown))
    try:
        move_by_hand(rule, (Status.DORMANT, Status.ACTIVE)[number % 2], by=Mover.COMMAND, now=now)
    except MoveRefused:
        pass
    rule.refresh_from_db()
"""


def test_eight_processes_lose_nothing_and_never_wait_in_vain(run_manage):
    add = ["add", "--trigger", "When", "--action", "Do", "--confidence", "medium", "--project-id", "home-1", "--json"]
    short_id = json.loads(run_manage(*add).stdout)["short_id"]

    ended = run_together(short_id)

    assert [exit_code for exit_code, _ in ended] == [0] * PROCESSES
    assert [complaint for _, complaint in ended if "database is locked" in complaint] == []
    rule = json.loads(run_manage("show", short_id, "--json").stdout)
    assert len(rule["evidence"]) == rule["evidence_score"] == rule["hit_count"] == PROCESSES * ROUNDS
    assert len(rule["shadow_hits"]) == rule["shadow_hit_count"]
    steps = rule["history"]
    assert all(before["to_status"] == after["from_status"] for before, after in pairwise(steps))
    assert steps[-1]["to_status"] == rule["status"]
    assert [step["to_status"] for step in steps].count("candidate") == 1


def run_together(short_id):
    """Starts all at once; the exit code and stderr of each."""
    codes = [WORK.replace("SHORT_ID", short_id).replace("NUMBER", str(number)) for number in range(PROCESSES)]
    command = [sys.executable, "-I", str(MANAGE), "shell", "-v", "0", "-c"]
    started = [subprocess.Popen([*command, code], stderr=subprocess.PIPE, text=True) for code in codes]
    complaints = [process.communicate(timeout=300)[1] for process in started]
    return [(process.returncode, complaint) for process, complaint in zip(started, complaints, strict=True)]
