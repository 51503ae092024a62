"""A real client against a scripted model: a client and a script in, what the model saw out.

Network namespace, model and the client's home come from ../shared/client, which stands beside the checkout.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.flows.npm_client import HARNESS, REPOSITORY, Client

RUN_SECONDS = 240
RETRY_DELAY_SECONDS = 1.2  # longer than gate.batch_window_ms, as a real model takes
OUTER_HOME = Path("/mnt")  # where the real /home stays visible when the harness replaces it


@dataclass(frozen=True)
class Talk:
    """What came of one run: what the model was asked, and the folders that the client left."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def requests(self, prompt: str) -> list[str]:
        """The messages of every main request of the session that was given the prompt, in order, as JSON text."""
        lines = (self.folder / "requests.jsonl").read_text(encoding="utf-8").splitlines()
        main = (row["body"] for row in map(json.loads, lines) if row["kind"] == "main")
        spoken = (json.dumps([body.get("system"), body["messages"]], ensure_ascii=False) for body in main)
        return [text for text in spoken if prompt in text]

    def tool_results(self, prompt: str) -> list[list[dict[str, Any]]]:
        """The tool results that each request of that session ends with; an empty list for a request with none."""
        return [_last_results(json.loads(text)[1]) for text in self.requests(prompt)]

    def step_output(self, number: int) -> str:
        return (self.folder / f"step-{number}.out").read_text(encoding="utf-8")

    def exit_codes(self) -> list[str]:
        """The exit code of each step, in order of the steps' file names."""
        return [path.read_text().strip() for path in sorted(self.folder.glob("step-*.rc"))]


def run_talk(
    client: Client,
    *,
    settings: Path,
    script: Mapping[str, Any],
    out: Path,
    steps: Sequence[str],
    data_folder: Path,
    hot_cache: bool = False,
    home: Path | None = None,
) -> Talk:
    """Runs the steps of run_client.sh in one namespace; raises CalledProcessError when the harness itself fails.

    home: what the client finds in its home folder besides the settings. Without the hot cache a session's requests hold the prompts of no other session.
    """
    out.mkdir(parents=True, exist_ok=True)
    script_file = out.parent / f"{out.name}-script.json"
    script_file.write_text(json.dumps(script), encoding="utf-8")
    binds = list(_binds(REPOSITORY, HARNESS.parent, Path(sys.prefix), Path(sys.base_prefix), data_folder))
    command = [
        *(_keep_home_visible() if binds else []),
        *(str(HARNESS), "--client", str(client.program), "--settings", str(settings)),
        *("--script", str(script_file), "--out", str(out), "--env", f"NOKORI_DATA_DIR={data_folder}"),
        *("--env", f"NOKORI_HOT_CACHE={int(hot_cache)}"),
        *(("--home", str(home)) if home else ()),
        *binds,
        *steps,
    ]
    subprocess.run(command, check=True, timeout=RUN_SECONDS, capture_output=True)
    return Talk(out)


def _last_results(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tool results after the last assistant message; the newest client puts system messages between."""
    tail: list[dict[str, Any]] = []
    for message in reversed(messages):
        if message["role"] == "assistant":
            break
        if isinstance(message["content"], list):
            tail = message["content"] + tail
    return [block for block in tail if block.get("type") == "tool_result"]


def _keep_home_visible() -> list[str]:
    """The harness lays an empty folder over /home; what a checkout there needs is bound back in from here."""
    mapped = [] if os.getuid() == 0 else ["-r"]
    return ["unshare", *mapped, "-m", "sh", "-c", f'mount --rbind /home {OUTER_HOME} && exec "$@"', "sh"]


def _binds(*needed: Path) -> Iterator[str]:
    for path in sorted({*needed, *(path.resolve() for path in needed)}):
        if path.is_relative_to("/home"):
            yield from ("--bind", f"{_seen_from_inside(path.resolve())}:{path}")


def _seen_from_inside(path: Path) -> Path:
    return OUTER_HOME / path.relative_to("/home") if path.is_relative_to("/home") else path
