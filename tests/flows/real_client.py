"""Claude Code from npm against a scripted model: a client version and a script in, what the model saw out.

A version is installed once per machine, below the system's temporary folder; nothing of it enters the repository.
Network namespace, model and the client's home come from ../shared/client, which stands beside the checkout.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / "shared"
HARNESS = SHARED / "client" / "run_client.sh"
PACKAGE = "@anthropic-ai/claude-code"
NEWEST = "newest"
LAST_SCRIPT_VERSION = (2, 1, 112)  # 2.1.113 and newer are native binaries
INSTALL_SECONDS = 300
RUN_SECONDS = 240
RETRY_DELAY_SECONDS = 1.2  # longer than gate.batch_window_ms, as a real model takes
OUTER_HOME = Path("/mnt")  # where the real /home stays visible when the harness replaces it


@dataclass(frozen=True)
class Client:
    """One installed client version."""

    version: str
    program: Path


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


def installed_client(version: str) -> Client:
    """The client of that version (NEWEST asks npm), installed when it is not there yet. Skips when it cannot be."""
    _demand(_missing_program())
    exact = _ask_npm("view", PACKAGE, "dist-tags.latest") if version == NEWEST else version
    folder = _cache_folder() / exact
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            _install(exact, folder)
    return Client(exact, _program_in(folder))


def run_talk(
    client: Client,
    *,
    settings: Path,
    script: Mapping[str, Any],
    out: Path,
    steps: Sequence[str],
    data_folder: Path,
    hot_cache: bool = False,
) -> Talk:
    """Runs the steps of run_client.sh in one namespace; raises CalledProcessError when the harness itself fails.

    Without the hot cache a session's requests hold the prompts of no other session.
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


def _missing_program() -> str:
    if not HARNESS.exists():
        return f"{HARNESS.relative_to(REPOSITORY.parent)} is not beside the checkout"
    for program in ("npm", "node", "unshare", "ip", "git"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    return "" if _can_unshare() else "this machine allows no network namespaces"


def _can_unshare() -> bool:
    mapped = [] if os.getuid() == 0 else ["-r"]
    return subprocess.run(["unshare", *mapped, "-n", "-m", "-p", "-f", "true"], capture_output=True).returncode == 0  # noqa: S607


def _demand(problem: str) -> None:
    """Skips with one line when there is a problem; continuous integration has all that is needed, so it fails there."""
    if not problem:
        return
    if os.environ.get("CI") == "true" and SHARED.is_dir():
        pytest.fail(f"no real client: {problem}", pytrace=False)
    pytest.skip(f"no real client: {problem}")


def _ask_npm(*arguments: str) -> str:
    done = subprocess.run(["npm", *arguments], capture_output=True, text=True, timeout=INSTALL_SECONDS)  # noqa: S607
    _demand("" if done.returncode == 0 else f"npm {arguments[0]} {arguments[1]} failed")
    return done.stdout.strip()


def _cache_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"nokori-test-clients-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    _demand("" if folder.stat().st_uid == os.getuid() else f"{folder} belongs to somebody else")
    return folder


def _install(version: str, folder: Path) -> None:
    """npm into a folder of its own, renamed when complete: a stopped download leaves no half client."""
    staging = Path(tempfile.mkdtemp(prefix=f"{version}-", dir=folder.parent))
    lean = ["--omit=optional"] if _is_script(version) else []
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(staging), *lean]
    try:
        _ask_npm("install", f"{PACKAGE}@{version}", *options)
        staging.rename(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _is_script(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")) <= LAST_SCRIPT_VERSION


def _program_in(folder: Path) -> Path:
    scope = folder / "node_modules" / "@anthropic-ai"
    found = [*scope.glob("claude-code/cli.js"), *scope.glob("claude-code-*/claude")]
    _demand("" if found else f"{PACKAGE} holds no program for this machine")
    return found[0]


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
