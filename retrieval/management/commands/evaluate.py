"""`evaluate FOLDER...`: how well search does on labelled sets. Reads nothing of the user's."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from retrieval.evaluation import LabelledSetUnreadableError, Report, evaluate, read_labelled_set

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Print figures of retrieval quality for folders with docs.jsonl, queries.jsonl and perhaps qrels.jsonl."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folders", nargs="+", metavar="FOLDER", type=Path)
        parser.add_argument("--json", action="store_true", help="print one JSON list")

    def handle(self, *_: Any, folders: Sequence[Path], **options: Any) -> str:
        try:
            reports = [evaluate(read_labelled_set(folder)) for folder in folders]
        except LabelledSetUnreadableError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            return json.dumps([_as_record(report) for report in reports], indent=1)
        return "\n\n".join(map(_as_text, reports))


def _as_record(report: Report) -> dict[str, object]:
    floors = report.floors
    shown = {"short": floors.short, "long": floors.long} if floors else None
    return {"name": report.name, "documents": report.documents, "floors": shown, "figures": report.figures}


def _as_text(report: Report) -> str:
    floors = f", floors {report.floors.short:.2f} and {report.floors.long:.2f} (long)" if report.floors else ""
    kinds = (f"  {kind}: {_as_line(figures)}" for kind, figures in report.figures.items())
    return "\n".join([f"{report.name}: {report.documents:,} documents{floors}", *kinds])


def _as_line(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in figures.items())
