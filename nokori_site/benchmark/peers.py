"""Our search beside bm25s, tantivy and SQLite FTS5, on the same rules and prompts: query, open, memory, one update.

Each engine runs in a process of its own, so that one's memory is not another's. FTS5 gets text that our tokenizer cut, for it
cannot cut Chinese itself. The peers are tools of development: one that is not installed is left out with a word.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from nokori_site.benchmark.figures import Row

ENGINES = {"nokori": "retrieval", "bm25s": "bm25s", "tantivy": "tantivy", "SQLite FTS5": "sqlite3"}  # name: package
TIMEOUT_SECONDS = 900


def measure_peers(folder: Path, *, rule_count: int, runs: int) -> list[Row]:
    """A row for each engine."""
    return [_row(engine, folder, rule_count=rule_count, runs=runs) for engine in ENGINES]


def _row(engine: str, folder: Path, *, rule_count: int, runs: int) -> Row:
    if find_spec(ENGINES[engine]) is None:
        return Row(f"{engine}: not installed (requirements-dev.txt)")
    arguments = [engine, str(folder / "peers"), str(rule_count), str(runs)]
    run = subprocess.run(
        [sys.executable, "-m", "nokori_site.benchmark.peer_process", *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    if run.returncode:
        return Row(f"{engine}: FAILED ({(run.stderr.strip().splitlines() or ['?'])[-1][:80]})")
    return Row(engine, json.loads(run.stdout.strip().splitlines()[-1]))
