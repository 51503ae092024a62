"""Publishing from nothing, one edit among many rules as a whole process, and whether the next prompt sees it."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

from django.conf import settings
from django.utils import timezone

from nokori_site.benchmark.figures import Row, limited_row, process_row
from nokori_site.benchmark.processes import Process, measure
from nokori_site.benchmark.throwaway import MANAGE, fill_rules
from retrieval.lexical.packed import Index
from retrieval.lexical.search import search
from retrieval.publish import publish_all
from rules.models import Rule

MANY_RULES = 10_000
SECONDS, CALIBRATED_SECONDS = 3, 4  # for 10,000 rules
SETUP_ONLY = "import os, sys, django; sys.path.insert(0, sys.argv[1]); django.setup()"


def measure_publish(folder: Path, *, rule_count: int, runs: int) -> list[Row]:
    fill_rules(rule_count, now=timezone.now())
    is_large = rule_count > MANY_RULES
    plain, calibrated = _seconds(calibrate=False), _seconds(calibrate=True)
    return [
        _publish_row("publish, last floors", plain, limit=None if is_large else SECONDS),
        _publish_row("publish and calibrate", calibrated, limit=None if is_large else CALIBRATED_SECONDS),
        *_edit_rows(runs),
    ]


def _seconds(*, calibrate: bool) -> float:
    start = perf_counter()
    publish_all(calibrate=calibrate)
    return perf_counter() - start


def _publish_row(case: str, seconds: float, *, limit: float | None) -> Row:
    figures = {"seconds": seconds}
    return Row(case, figures) if limit is None else limited_row(case, figures, key="seconds", limit=limit)


def _edit_rows(runs: int) -> list[Row]:
    """The whole `edit` command, as a multiple of django.setup() with the same settings."""
    rule = Rule.objects.retrievable().earliest("short_id")
    edit = Process([sys.executable, str(MANAGE), "edit", rule.short_id, "--trigger", "quetzal feathers in run %ROUND%"])
    setup = [sys.executable, "-c", SETUP_ONLY, str(settings.BASE_DIR)]
    rounds = measure(edit, rounds=runs, base=setup)
    return [
        process_row("edit : django.setup()", rounds, ratio=1.3),
        Row("the next prompt", {}, "sees the edit", _next_prompt_finds(rule.short_id)),
    ]


def _next_prompt_finds(short_id: str) -> bool:
    with Index.open(settings.NOKORI_FOLDER.published) as index:
        hits = search("quetzal feathers in run", index=index, project_id="")
    return any(hit.document.short_id == short_id for hit in hits.formal)
