"""The throwaway data folder that a benchmark runs in: made here, filled with varied rules, gone at the end.

Django's settings know their data folder from the start, so the benchmark runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from filelock import FileLock

from hooks.install import carry_out, hook_lines, plan_install, settings_path
from nokori_site.benchmark.varied_rules import VariedRule, varied_rules
from nokori_site.config import publish_config
from nokori_site.database import prepare_database
from rules.disk import write_atomic
from rules.lifecycle import Confidence, Scope, SourceType, Status
from rules.models import Rule

MANAGE = settings.NOKORI_MANAGE
MARK = "made-for-a-benchmark"  # a file; a folder without it is somebody's memory
FOREIGN_PREFIXES = ("NOKORI_", "CLAUDE", "CURSOR_")
SHORT_ID_DIGITS = 6
SETTLE_SECONDS = 60
GATE_TRIGGER = "Force pushing to a shared branch"
GATE_SHORT_ID = "ffffffff"  # longer than the others, and none of them begins it


class NotThrowawayError(Exception):
    """The data folder was not made for a benchmark."""


def run_apart(arguments: Sequence[str]) -> int:
    """Runs `manage.py benchmark` with these arguments in a throwaway folder; the exit code of that process."""
    with TemporaryDirectory(prefix="nokori-benchmark-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "data").mkdir()
        (folder / "data" / MARK).touch()
        (folder / "project" / ".git").mkdir(parents=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN_PREFIXES)}
        places = {"NOKORI_DATA_DIR": "data", "NOKORI_CLAUDE_HOME": "claude", "HOME": "home"}
        environment = kept | {variable: str(folder / place) for variable, place in places.items()}
        command = [sys.executable, str(MANAGE), "benchmark", *arguments, "--inside"]
        return subprocess.run(command, env=environment, check=False).returncode


def throwaway_folder() -> Path:
    """The folder that run_apart made for this process, its database ready. Raises NotThrowawayError in any other."""
    data = Path(settings.NOKORI_FOLDER.root)
    if not (data / MARK).exists():
        raise NotThrowawayError(f"{data} was not made for a benchmark.")
    prepare_database()
    return data.parent


def registered_lines(folder: Path) -> dict[str, str]:
    """The hook line of each event, as `install` writes it and a host reads it."""
    home = str(folder / "claude")
    change = plan_install(settings_path(home), commands=hook_lines(sys.executable, str(MANAGE)))
    return {found.key: found.command for found in carry_out(change).registrations}


def start_nothing_real(folder: Path) -> None:
    """Has the hooks start a program that ends at once instead of `settle`, which would take the processor from them.

    A session end reads no settings and starts the real one.
    """
    stand_in = folder / "stand_in.py"
    stand_in.touch()
    publish_config(settings.NOKORI_FOLDER)
    published = Path(settings.NOKORI_FOLDER.published) / "config.json"
    tree = json.loads(published.read_text(encoding="utf-8")) | {"manage": str(stand_in)}
    write_atomic(str(published), json.dumps(tree).encode())


def let_settle_end() -> None:
    """Waits for one that a hook started, so that it does not meet a folder that is being removed."""
    with FileLock(settings.NOKORI_FOLDER.settle_lock, timeout=SETTLE_SECONDS):
        return


def fill_rules(total: int, *, now: datetime) -> None:
    """Adds varied rules until there are that many, all of them active and global."""
    there = Rule.objects.exclude(short_id=GATE_SHORT_ID).count()
    texts = list(varied_rules(total))[there:]
    names = (f"{number:0{SHORT_ID_DIGITS}x}" for number in range(there, total))
    rules = [_rule(name, text, now, source_type=SourceType.SOLUTION) for name, text in zip(names, texts, strict=True)]
    Rule.objects.bulk_create(rules, batch_size=1000)


def add_gate_rule(*, now: datetime) -> None:
    """Adds the one rule whose trigger the deny case types."""
    text = VariedRule(GATE_TRIGGER, ["git push --force"], "Use --force-with-lease", "it overwrites others' work", {})
    Rule.objects.bulk_create([_rule(GATE_SHORT_ID, text, now, source_type=SourceType.CORRECTION)])


def _rule(short_id: str, text: VariedRule, now: datetime, *, source_type: SourceType) -> Rule:
    return Rule(
        short_id=short_id,
        trigger=text.trigger,
        variants=text.variants,
        search_terms=text.search_terms,
        action=text.action,
        rationale=text.rationale,
        source_type=source_type,
        confidence=Confidence.HIGH,
        status=Status.ACTIVE,
        project_scope=Scope.GLOBAL,
        status_since=now,
        created_at=now,
        updated_at=now,
        activated_at=now,
    )
