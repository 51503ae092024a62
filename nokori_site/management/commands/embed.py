"""`embed serve|start|stop|status|prefetch|reindex`: the process that owns the vectors of the rules, and its model.

Exit codes: 0 done, 1 a stated problem, 2 a server runs already.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from hooks.hot.spawn import spawn_embed_server
from nokori_site.embed_reindex import ReindexFailed, reindex
from nokori_site.embed_serving import run_embed_server
from retrieval.embeddings import control
from retrieval.embeddings.model_files import fetch_model
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.singleton import ServerRunning
from rules.management.progress_bar import progress_bar
from rules.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser

EXIT_RUNNING = 2


class Command(BaseCommand):
    help = "The embed server, which finds rules by their meaning: run it, look at it, get its model, encode rules anew."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        verbs.add_parser("start", help="start it in the background, and wait until it is ready")
        verbs.add_parser("stop", help="end it; it stays down until a prompt wants it")
        status = verbs.add_parser("status", help="how it stands")
        status.add_argument("--json", action="store_true", help="print one JSON object")
        verbs.add_parser("serve", help="serve in this process, until it is idle or ended")
        verbs.add_parser("prefetch", help="download the local model, only the files that are needed")
        verbs.add_parser("reindex", help="encode all rules anew, with the model that is set now")

    def handle(self, *_: Any, verb: str, **options: Any) -> str | None:
        try:
            return _status(as_json=options["json"]) if verb == "status" else VERBS[verb]()
        except ServerRunning as error:
            raise CommandError(str(error), returncode=EXIT_RUNNING) from error
        except (
            EmbedderUnavailable,
            ReindexFailed,
            control.ServerNotStarted,
            control.ServerNotEnded,
        ) as error:
            raise CommandError(str(error)) from error


def _start() -> str:
    folder = settings.NOKORI_FOLDER
    if not control.status(folder).is_up and not control.start(folder, spawn=spawn_embed_server):
        raise CommandError("No process can be started here (NOKORI_NO_SPAWN is set).")
    found = control.wait_until_up(folder)
    return f"The embed server is ready: {found.model}, process {found.pid}."


def _stop() -> str:
    return "The embed server has ended." if control.stop(settings.NOKORI_FOLDER) else "No embed server runs."


def _status(*, as_json: bool) -> str:
    found = control.status(settings.NOKORI_FOLDER)
    if as_json:
        return json.dumps(asdict(found), indent=1)
    return "\n".join(f"{label:<10} {text}" for label, text in describe(found))


def _serve() -> None:
    run_embed_server(settings.NOKORI_FOLDER, config=settings.NOKORI)


def _prefetch() -> str:
    folder = fetch_model(settings.NOKORI.embed_model, models_folder=Path(settings.NOKORI_FOLDER.models))
    return f"The model is in {folder}."


def _reindex() -> str:
    with progress_bar("encoding rules") as watch:
        found = reindex(settings.NOKORI_FOLDER, spawn=spawn_embed_server, watch=watch)
    return f"encoded {counted(found.rules, 'rule')} with {found.model}"


VERBS: dict[str, Callable[[], str | None]] = {
    "start": _start,
    "stop": _stop,
    "serve": _serve,
    "prefetch": _prefetch,
    "reindex": _reindex,
}


def describe(found: control.EmbedStatus) -> list[tuple[str, str]]:
    rows = [("state", found.state), ("model", found.model or "none yet")]
    if found.pid:
        rows.append(("process", f"{found.pid}, version {found.version}, at {found.place}"))
    if found.is_up:
        rows.append(("idle", f"{found.idle_seconds:.0f} s of {found.ends_after_seconds:.0f} s until it ends"))
    if found.rules >= 0:
        rows.append(("rules", f"{found.rules - found.missing} of {found.rules} have a vector"))
    if found.problem:
        rows.append(("problem", found.problem))
    return rows
