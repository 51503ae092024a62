"""Search alone, in this process, with the index that the hooks map: milliseconds of one question.

Of three searches for a prompt the quickest counts, so that p95 tells of hard prompts and not of a busy machine.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from django.conf import settings
from django.utils import timezone

from nokori_site.benchmark.figures import Row
from nokori_site.benchmark.processes import percentile
from nokori_site.benchmark.throwaway import fill_rules
from nokori_site.benchmark.varied_rules import varied_log, varied_prompt
from retrieval.lexical.packed import Index
from retrieval.lexical.search import search
from retrieval.publish import publish_all

MANY_RULES = 10_000  # beyond it, the limits for 100,000 hold
SEARCHES = 3
LABELLED = Path(settings.BASE_DIR).parent / "shared" / "data" / "retrieval" / "agent-prompts" / "queries.jsonl"
SHORT_WORDS, LONGER_WORDS, PASTE_WORDS = 9, 45, 2_800
LIMITS_MS = {SHORT_WORDS: (1, 4), LONGER_WORDS: (5, 25)}  # p95 at 10,000 rules and at 100,000


def measure_search(folder: Path, *, rule_count: int, runs: int) -> list[Row]:
    """A row for each length of prompt. The short ones are the labelled prompts when they are at hand."""
    fill_rules(rule_count, now=timezone.now())
    publish_all(calibrate=True)
    with Index.open(settings.NOKORI_FOLDER.published) as index:
        return [
            _row("short prompts", _short_prompts(), index=index, limit=_limit(SHORT_WORDS, rule_count)),
            _row(
                f"{LONGER_WORDS} words",
                _made_up(LONGER_WORDS, runs),
                index=index,
                limit=_limit(LONGER_WORDS, rule_count),
            ),
            _row(f"{PASTE_WORDS:,} words of a log", _logs(runs), index=index, limit=None),
            _row(
                f"{PASTE_WORDS:,} words that all stand in rules", _made_up(PASTE_WORDS, runs), index=index, limit=None
            ),
        ]


def _row(case: str, prompts: Sequence[str], *, index: Index, limit: float | None) -> Row:
    spent = sorted(_milliseconds(prompt, index) for prompt in prompts)
    figures = {"prompts": len(spent), "p50 ms": percentile(spent, 50), "p95 ms": percentile(spent, 95)}
    if limit is None:
        return Row(case, figures)
    return Row(case, figures, f"p95 <= {limit} ms", figures["p95 ms"] <= limit)


def _milliseconds(prompt: str, index: Index) -> float:
    return min(_one_search(prompt, index) for _ in range(SEARCHES))


def _one_search(prompt: str, index: Index) -> float:
    start = perf_counter()
    search(prompt, index=index, project_id="")
    return 1000 * (perf_counter() - start)


def _short_prompts() -> list[str]:
    if LABELLED.exists():
        return [json.loads(line)["text"] for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    return _made_up(SHORT_WORDS, 200)


def _made_up(words: int, count: int) -> list[str]:
    return [varied_prompt(words, seed=seed) for seed in range(count)]


def _logs(count: int) -> list[str]:
    return [varied_log(PASTE_WORDS, seed=seed) for seed in range(count)]


def _limit(words: int, rule_count: int) -> float:
    return LIMITS_MS[words][rule_count > MANY_RULES]
