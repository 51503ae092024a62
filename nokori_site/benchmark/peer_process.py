"""One engine, measured in this process: `python -m nokori_site.benchmark.peer_process ENGINE FOLDER RULES RUNS`.

Prints one JSON object: milliseconds of a query (median and p95), of opening, of one update until it is found, and the memory
that opening and querying added.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

from nokori_site.benchmark.peer_engines import ENGINES, Engine
from nokori_site.benchmark.processes import percentile
from nokori_site.benchmark.varied_rules import varied_prompt, varied_rules

PROMPTS, PROMPT_WORDS = 200, 9
STATUS = Path("/proc/self/status")


def measure(engine: Engine, texts: Sequence[str], *, runs: int) -> dict[str, float]:
    engine.build(texts)
    before = _memory_mb()
    open_ms = _milliseconds(engine.open)
    prompts = [varied_prompt(PROMPT_WORDS, seed=seed) for seed in range(PROMPTS)]
    spent = sorted(min(_milliseconds(partial(engine.query, prompt)) for _ in range(3)) for prompt in prompts)
    memory = _memory_mb() - before
    updates = sorted(_milliseconds(partial(engine.update, f"{texts[0]} changed {run}")) for run in range(runs))
    return {
        "query ms": percentile(spent, 50),
        "query p95": percentile(spent, 95),
        "open ms": open_ms,
        "memory MB": memory,
        "update ms": percentile(updates, 50),
    }


def _milliseconds(do: Callable[[], object]) -> float:
    start = perf_counter()
    do()
    return 1000 * (perf_counter() - start)


def _memory_mb() -> float:
    """Resident now; 0 where the system does not tell."""
    if not STATUS.exists():
        return 0.0
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines() if ":" in line)
    return int(lines["VmRSS"].split()[0]) / 1024


def main(argv: Sequence[str]) -> None:
    name, folder, rule_count, runs = argv
    texts = [" ".join((rule.trigger, *rule.variants, rule.action)) for rule in varied_rules(int(rule_count))]
    Path(folder).mkdir(parents=True, exist_ok=True)
    print(json.dumps(measure(ENGINES[name](Path(folder)), texts, runs=min(int(runs), 5))))  # noqa: T201  its answer


if __name__ == "__main__":
    main(sys.argv[1:])
