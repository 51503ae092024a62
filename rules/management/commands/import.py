"""`import`: rules out of an export of this program, or of the original's versions 2 to 10. All of them or none."""
# ruff: noqa: N999  the verb is called so

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from django.utils import timezone

from rules.management.progress_bar import progress_bar
from rules.management.rule_command import RuleCommand
from rules.refusals import RuleRefused
from rules.transfer.document import MAX_BYTES
from rules.transfer.incoming import ImportReport, import_rules
from rules.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.core.management import CommandParser

PIECE = 1024**2  # bytes of a pipe read at once


class Command(RuleCommand):
    help = "Add the rules of an export; those that are here already stay as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", help="the file to read; - for stdin")
        parser.add_argument("--dry-run", action="store_true", help="check everything and write nothing")
        self.add_json_option(parser)

    def answer(self, options: dict[str, Any]) -> str:
        path = options["path"]
        try:
            with _opened(path) as file, progress_bar("importing") as watch:
                report = import_rules(file, now=timezone.now(), is_trial=options["dry_run"], watch=watch)
        except OSError as error:
            raise RuleRefused(f"{path} cannot be read: {error.strerror or error}.") from error
        except RuleRefused as refusal:
            raise RuleRefused(f"{path}: {refusal} Nothing was imported.") from refusal
        return self.as_json(asdict(report)) if options["json"] else _told(report)


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The file, or a copy of what is no file that can be read twice."""
    if path != "-" and Path(path).is_file():
        with Path(path).open("rb") as file:
            yield file
        return
    with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as pipe, TemporaryFile() as copy:
        while copy.tell() <= MAX_BYTES and (piece := pipe.read(PIECE)):
            copy.write(piece)
        yield copy


def _told(report: ImportReport) -> str:
    verb = "would import" if report.is_trial else "imported"
    counts = ", ".join(f"{count} {status}" for status, count in sorted(report.statuses.items()))
    lines = [
        f"{verb} {counted(report.imported, 'rule')}{f' ({counts})' if counts else ''}; skipped {report.skipped} (already present)"
    ]
    if report.renamed:
        lines.append(f"  {len(report.renamed)} got another short_id, because theirs was taken")
    if report.left_out:
        lines.append(f"  fields without a place here: {', '.join(report.left_out)}")
    return "\n".join(lines)
