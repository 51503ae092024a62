"""`extract`: transcripts become rules. One that is named, or all that wait.

Exit codes: 0 done or nothing to do, 1 the model or a transcript failed, 2 another extraction is at work.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from extraction import jobs, preview
from extraction.llm_errors import LlmError
from extraction.models import ExtractJob, ExtractRun
from extraction.tools import configured_llm, configured_tools, transcript_roots
from extraction.transcript_file import TranscriptError, open_transcript, require_allowed
from extraction.worker import ExtractRunning, WorkReport, extract_lock, work_off

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator

    from extraction.models import ExtractJobQuerySet

EXIT_RUNNING = 2  # README "Async Extract Mode"


class Command(BaseCommand):
    help = "Turn transcripts into rules: the one named by --session, or all that wait."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--session", metavar="PATH", help="this transcript, whether a job waits for it or not")
        parser.add_argument("--project", metavar="ID", default="", help="the project that the rules belong to")
        parser.add_argument(
            "--dry-run", action="store_true", help="ask the model and show what it found; write nothing"
        )
        parser.add_argument("--retry", action="store_true", help="also take jobs that were given up")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--auto", action="store_true", help="as the background does: jobs that failed lately rest")

    def handle(self, *_: Any, **options: Any) -> str:
        try:
            if options["dry_run"]:
                return self._preview(options)
            with extract_lock(settings.NOKORI_FOLDER):
                return self._work(options)
        except ExtractRunning as error:
            raise CommandError(f"({error})", returncode=EXIT_RUNNING) from error
        except (LlmError, TranscriptError) as error:
            raise CommandError(str(error)) from error

    def _work(self, options: dict[str, Any]) -> str:
        now = timezone.now()
        jobs.recover_lost(now=now)
        if options["retry"]:
            jobs.retry(ExtractJob.objects.all(), now=now)
        queue = _queue(options)
        if not queue.waiting().exists():
            return json.dumps(WorkReport().as_record()) if options["json"] else "(no pending extract jobs)"
        run = ExtractRun.objects.create(is_automatic=options["auto"], started_at=now)  # one without a model counts too
        tools = configured_tools(configured_llm(os.environ))
        with _progress(queue.waiting().count()) as advance:
            report = work_off(
                queue,
                folder=settings.NOKORI_FOLDER,
                tools=tools,
                log_level=settings.NOKORI.log_level,
                run=run,
                on_job=advance,
            )
        return self._told(report, options)

    def _preview(self, options: dict[str, Any]) -> str:
        paths = [options["session"]] if options["session"] else preview.waiting_paths()
        if not paths:
            return "(no pending extract jobs)"
        tools = configured_tools(configured_llm(os.environ))
        found = [preview.preview(path, project=options["project"], tools=tools) for path in paths]
        return (
            json.dumps([one.as_record() for one in found], ensure_ascii=False, indent=2)
            if options["json"]
            else "\n".join(map(str, found))
        )

    def _told(self, report: WorkReport, options: dict[str, Any]) -> str:
        text = (
            json.dumps(report.as_record(), ensure_ascii=False, indent=2) if options["json"] else _text(report, options)
        )
        if not report.failures:
            return text
        self.stdout.write(text)
        path, message = report.failures[0]
        more = f" (and {len(report.failures) - 1} more: see `status`)" if len(report.failures) > 1 else ""
        raise CommandError(f"{path}: {message}{more}")


def _queue(options: dict[str, Any]) -> ExtractJobQuerySet:
    """The jobs that these options mean. Raises TranscriptError."""
    every = ExtractJob.objects.all()
    if not options["session"]:
        if options["project"]:
            every.waiting().update(project_id=options["project"])
        return every.rested(now=timezone.now()) if options["auto"] else every
    path = require_allowed(options["session"], transcript_roots())
    open_transcript(path).close()
    job = jobs.enqueue_by_hand(path, project_id=options["project"], now=timezone.now())
    return every.filter(pk=job.pk)


def _text(report: WorkReport, options: dict[str, Any]) -> str:
    subject = f"transcript: {options['session']}" if options["session"] else f"jobs: {report.jobs}"
    merged = ", ".join(f"{count} {name}" for name, count in vars(report.merged).items() if count)
    lines = [
        subject,
        f"candidates: {report.candidates}",
        f"applied: {report.applied}" + (f" ({merged})" if merged else ""),
    ]
    if not (report.human_turns or report.failures):
        lines.append("nothing was typed since it was read last")
    lines += [f"secrets removed: {report.secrets}"] if report.secrets else []
    lines += [f"long messages cut: {report.cut_turns}"] if report.cut_turns else []
    lines += [f"broken lines skipped: {report.bad_lines}"] if report.bad_lines else []
    return "\n".join(lines)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[ExtractJob], object]]:
    """A line on the terminal that says which job it is at; nothing where there is no terminal."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("extract", total=total)

        def advance(job: ExtractJob) -> None:
            progress.update(task, advance=1, description=os.path.basename(job.transcript_path))  # noqa: PTH119

        yield advance
