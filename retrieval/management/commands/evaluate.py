"""`evaluate FOLDER...`: how well search does on labelled sets. Reads nothing of the user's but the choice of a model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from retrieval.comparison import Comparison, compare_modes
from retrieval.embeddings.backends import open_embedder
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.evaluation import LEXICAL, MODES, Report
from retrieval.labelled_sets import LabelledSetUnreadableError, read_labelled_set

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Print figures of retrieval quality for folders with docs.jsonl, queries.jsonl and perhaps qrels.jsonl."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folders", nargs="+", metavar="FOLDER", type=Path)
        parser.add_argument("--mode", choices=MODES, default=LEXICAL, help="by words, by meaning, or by both")
        parser.add_argument("--against", choices=MODES, help="compare with another mode, query by query")
        parser.add_argument("--json", action="store_true", help="print one JSON list")

    def handle(self, *_: Any, folders: Sequence[Path], **options: Any) -> str:
        modes = list(dict.fromkeys(filter(None, (options["mode"], options["against"]))))
        try:
            sets = [read_labelled_set(folder) for folder in folders]
            embedder = None
            if modes != [LEXICAL]:
                embedder = open_embedder(settings.NOKORI, models_folder=Path(settings.NOKORI_FOLDER.models))
            compared = [compare_modes(labelled, modes, embedder=embedder) for labelled in sets]
        except (LabelledSetUnreadableError, EmbedderUnavailable) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            return json.dumps([record for comparison in compared for record in _as_records(comparison)], indent=1)
        return "\n\n".join(map(_as_text, compared))


def _as_records(comparison: Comparison) -> list[dict[str, object]]:
    records = [_as_record(report) for report in comparison.reports]
    if comparison.difference is not None:
        difference = comparison.difference
        records[0]["better_by"] = {"mean": difference.mean, "low": difference.low, "high": difference.high}
    return records


def _as_record(report: Report) -> dict[str, object]:
    floors = report.floors
    shown = {"short": floors.short, "long": floors.long} if floors else None
    return {
        "name": report.name,
        "mode": report.mode,
        "documents": report.documents,
        "floors": shown,
        "figures": report.figures,
    }


def _as_text(comparison: Comparison) -> str:
    lines = [line for report in comparison.reports for line in _report_lines(report)]
    if comparison.difference is not None:
        first, second = comparison.reports
        difference = comparison.difference
        lines.append(
            f"  {first.mode} - {second.mode}: {difference.mean:+.4f}, "
            f"95 % of draws between {difference.low:+.4f} and {difference.high:+.4f}"
            f"{'' if difference.is_certain else ' (may be chance)'}"
        )
    return "\n".join(lines)


def _report_lines(report: Report) -> list[str]:
    floors = f", floors {report.floors.short:.2f} and {report.floors.long:.2f} (long)" if report.floors else ""
    kinds = (f"  {kind}: {_as_line(figures)}" for kind, figures in report.figures.items())
    return [f"{report.name}: {report.documents:,} documents, {report.mode}{floors}", *kinds]


def _as_line(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in figures.items())
