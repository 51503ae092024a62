"""`manage.py benchmark [SUITE...]`: what hooks, search, publishing, extraction, embed server and pages cost here."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from nokori_site.benchmark.embedding import measure_embedding
from nokori_site.benchmark.extraction import measure_extraction
from nokori_site.benchmark.figures import Row, as_dicts, as_table
from nokori_site.benchmark.hooks import CaseNotMeasuredError, measure_hooks
from nokori_site.benchmark.peers import measure_peers
from nokori_site.benchmark.publish import measure_publish
from nokori_site.benchmark.search import measure_search
from nokori_site.benchmark.throwaway import NotThrowawayError, run_apart, throwaway_folder
from nokori_site.benchmark.web import PageNotMeasuredError, measure_web

SUITES: dict[str, Callable[..., list[Row]]] = {
    "hooks": measure_hooks,
    "search": measure_search,
    "publish": measure_publish,
    "extraction": measure_extraction,
    "embed": measure_embedding,
    "web": measure_web,
}
BESIDE_SEARCH = {"peers": measure_peers}  # only when asked for: packages of requirements-dev.txt


class Command(BaseCommand):
    help = "Measure hooks, search, publishing, extraction, embed server and pages in a throwaway data folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"{', '.join(SUITES)}; all when none is named")
        parser.add_argument("--rules", type=int, default=10_000, help="how many rules to make (default 10000)")
        parser.add_argument("--runs", type=int, default=20, help="how often each hook runs (default 20)")
        parser.add_argument(
            "--peers", action="store_true", help="beside search, measure bm25s, tantivy and SQLite FTS5"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--inside", action="store_true", help="internal: this process has the throwaway folder")

    def handle(self, *args: Any, **options: Any) -> str | None:
        chosen = list(options["suites"] or SUITES)
        if unknown := sorted(set(chosen) - set(SUITES)):
            raise CommandError(f"no benchmark is called {unknown[0]}; there are {', '.join(SUITES)}.", returncode=2)
        if options["rules"] < 1 or options["runs"] < 1:
            raise CommandError("--rules and --runs take a whole number, 1 or more.", returncode=2)
        chosen += ["peers"] if options["peers"] else []
        if not options["inside"]:
            sys.exit(run_apart(_arguments(chosen, options)))
        found = _measure(chosen, options)
        if options["json"]:
            return json.dumps({suite: as_dicts(rows) for suite, rows in found.items()}, indent=1)
        return "\n".join(as_table(f"{suite}, {options['rules']:,} rules", rows) for suite, rows in found.items())


def _arguments(chosen: list[str], options: dict[str, Any]) -> list[str]:
    numbers = ["--rules", str(options["rules"]), "--runs", str(options["runs"])]
    flags = [f"--{name}" for name in ("json", "peers") if options[name]]
    return [*(suite for suite in chosen if suite in SUITES), *numbers, *flags]


def _measure(chosen: list[str], options: dict[str, Any]) -> dict[str, list[Row]]:
    numbers = {"rule_count": options["rules"], "runs": options["runs"]}
    try:
        folder = throwaway_folder()
        return {suite: (SUITES | BESIDE_SEARCH)[suite](folder, **numbers) for suite in chosen}
    except (NotThrowawayError, CaseNotMeasuredError, PageNotMeasuredError) as problem:
        raise CommandError(str(problem)) from problem
