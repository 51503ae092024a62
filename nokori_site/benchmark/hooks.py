"""Hooks as whole processes, through the hook lines that `install` registers, each right after a bare interpreter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.utils import timezone

from hooks.registration import line_words
from nokori_site.benchmark.figures import Row, limited_row, process_row
from nokori_site.benchmark.processes import Process, Rounds, measure
from nokori_site.benchmark.throwaway import (
    GATE_TRIGGER,
    add_gate_rule,
    fill_rules,
    let_settle_end,
    registered_lines,
    start_nothing_real,
)
from nokori_site.benchmark.varied_rules import varied_log, varied_prompt, varied_rules
from retrieval.publish import publish_all

FEW_RULES = 200
MANY_RULES = 10_000  # beyond it, the targets for 100,000 hold
PROMPT_WORDS = 30
PASTE_WORDS = 2_800
SESSION = "3f0c8a52-5d0e-4f6b-9b6e-2f1f6d1c7a10"
TOOL_CALL: dict[str, Any] = {
    "tool_name": "Bash",
    "tool_input": {"command": "git status"},
    "tool_use_id": "toolu_%ROUND%",
}


@dataclass(frozen=True)
class Session:
    """One made-up session: the process that a host would start for each of its events."""

    lines: Mapping[str, str]
    cwd: Path

    def process(self, event: str, *, session_id: str = SESSION, **fields: Any) -> Process:
        payload = {
            "session_id": session_id,
            "transcript_path": str(self.cwd / "session.jsonl"),
            "cwd": str(self.cwd),
            "permission_mode": "default",
            "hook_event_name": event,
            **fields,
        }
        return Process(line_words(self.lines[event]), json.dumps(payload).encode())

    def prompt(self, text: str, *, key: str) -> Process:
        return self.process("UserPromptSubmit", prompt=text, prompt_id=f"{key}-%ROUND%")


class CaseNotMeasuredError(Exception):
    """A hook answered otherwise than the case that was to be measured."""


def measure_hooks(folder: Path, *, rule_count: int, runs: int) -> list[Row]:
    """The rows of all events; prompts with few rules and with many, and the ratio between the two.

    Raises CaseNotMeasuredError. The long paste comes last: where it misses its deadline, hooks take a pause.
    """
    session = Session(registered_lines(folder), folder / "project")
    start_nothing_real(folder)
    add_gate_rule(now=timezone.now())
    few = _prompt(session, FEW_RULES, runs)
    many = _prompt(session, rule_count, runs)
    is_large = rule_count > MANY_RULES
    growth = {"wall x": many.wall_ratio / few.wall_ratio, "cpu x": many.cpu_ratio / few.cpu_ratio}
    growth_limit = None if is_large else 1.25  # that of MANY_RULES
    return [
        *_other_events(session, runs),
        process_row(f"prompt, {FEW_RULES} rules", few),
        process_row(f"prompt, {rule_count:,} rules", many, ratio=5 if is_large else 4, peak_mb=64 if is_large else 40),
        limited_row(f"prompt, {rule_count:,} : {FEW_RULES} rules", growth, key="cpu x", limit=growth_limit),
        _paste_row(session, runs, varied_log(PASTE_WORDS, seed=3), case="of a log", ratio=None if is_large else 6),
        _paste_row(session, runs, varied_prompt(PASTE_WORDS, seed=3), case="that all stand in rules", ratio=None),
    ]


def _prompt(session: Session, rule_count: int, runs: int) -> Rounds:
    """A prompt that finds rules, with that many of them published."""
    fill_rules(rule_count, now=timezone.now())
    publish_all(calibrate=True)
    trigger = next(varied_rules(1)).trigger
    text = f"{trigger} {varied_prompt(PROMPT_WORDS - len(trigger.split()), seed=2)}"
    rounds = measure(session.prompt(text, key=f"near-{rule_count}"), rounds=runs)
    return _demand(b"additionalContext", rounds, case="the prompt")


def _paste_row(session: Session, runs: int, paste: str, *, case: str, ratio: float | None) -> Row:
    """A long paste with a trigger on a line of its own in it. Without an answer it was late, and that is not met."""
    text = f"why does this fail\n{paste}\n{GATE_TRIGGER}"
    rounds = measure(session.prompt(text, key=case), rounds=runs)
    row = process_row(f"prompt, {PASTE_WORDS:,} words {case}", rounds, ratio=ratio)
    return row if b"additionalContext" in rounds.answer else replace(row, case=f"{row.case}, LATE", is_met=False)


def _other_events(session: Session, runs: int) -> list[Row]:
    tool_call = session.process("PreToolUse", **TOOL_CALL)
    arming = session.prompt(GATE_TRIGGER, key="arming")
    start = session.process("SessionStart", session_id="start-%ROUND%", source="startup")
    end = session.process("SessionEnd", session_id="end-%ROUND%", reason="other")
    silent = measure(tool_call, rounds=runs)
    denied = _demand(b'"deny"', measure(tool_call, rounds=runs, before=arming), case="the tool call")
    rows = [
        process_row("pre-tool-use, no marker", silent, ratio=1.3),
        process_row("pre-tool-use, deny", denied, ratio=3),
        process_row("session-start", measure(start, rounds=runs), ratio=5),
        process_row("session-end", measure(end, rounds=runs), ratio=2),
    ]
    let_settle_end()
    return rows


def _demand(answer: bytes, rounds: Rounds, *, case: str) -> Rounds:
    """The same rounds, when the last of them had this in its answer: else the figures would be another case's."""
    if answer not in rounds.answer:
        raise CaseNotMeasuredError(f"{case} was not answered with {answer.decode()}")
    return rounds
