"""Real coding agents from npm: which one, in which version > an installed program.

A version is installed once per machine, below the system's temporary folder; nothing of it enters the repository.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / "shared"
HARNESS = SHARED / "client" / "run_client.sh"
NEWEST = "newest"
LAST_SCRIPT_VERSION = (2, 1, 112)  # of Claude Code; 2.1.113 and newer are native binaries
INSTALL_SECONDS = 300


@dataclass(frozen=True)
class Package:
    """One agent on npm; programs: where in node_modules its program may lie."""

    name: str
    programs: tuple[str, ...]


CLAUDE_CODE = Package(
    "@anthropic-ai/claude-code", ("@anthropic-ai/claude-code/cli.js", "@anthropic-ai/claude-code-*/claude")
)
CODEX = Package("@openai/codex", ("@openai/codex-*/vendor/*/bin/codex",))


@dataclass(frozen=True)
class Client:
    """One installed client version."""

    version: str
    program: Path


def installed_client(version: str, package: Package = CLAUDE_CODE) -> Client:
    """The client of that version (NEWEST asks npm), installed when it is not there yet. Skips when it cannot be."""
    _demand(_missing_program())
    exact = _ask_npm("view", package.name, "dist-tags.latest") if version == NEWEST else version
    folder = _cache_folder() / f"{package.name.rpartition('/')[2]}-{exact}"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            _install(package, exact, folder=folder)
    return Client(exact, _program_in(folder, package))


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


def _install(package: Package, version: str, *, folder: Path) -> None:
    """npm into a folder of its own, renamed when complete: a stopped download leaves no half client."""
    staging = Path(tempfile.mkdtemp(prefix=f"{version}-", dir=folder.parent))
    lean = ["--omit=optional"] if package is CLAUDE_CODE and _is_script(version) else []
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(staging), *lean]
    try:
        _ask_npm("install", f"{package.name}@{version}", *options)
        staging.rename(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _is_script(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")) <= LAST_SCRIPT_VERSION


def _program_in(folder: Path, package: Package) -> Path:
    found = [path for pattern in package.programs for path in (folder / "node_modules").glob(pattern)]
    _demand("" if found else f"{package.name} holds no program for this machine")
    return found[0]
