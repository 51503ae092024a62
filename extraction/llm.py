"""Whom to ask, and the `claude` command as one who answers: one question in, the model's text out.

Raises LlmError only. The command runs without hooks, tools and transcript, and nothing of it outlives its answer.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from typing import Protocol

from extraction.llm_errors import LlmCommandFailed, LlmNotConfigured, LlmReplyEmpty, LlmTimeout
from extraction.prompts import Question

CLI_MODEL = "haiku"  # README "How the LLM is called"
CLI_FLAGS = ("--no-session-persistence", "--setting-sources", "", "--tools", "")  # no transcript, no hooks, no tools
CLI_MAX_BODY_BYTES = 400_000
CUT_MARK = b"\n[...]\n"
CLI_TIMEOUT_SECONDS = 120.0  # a cold start of the client is slow
PARENT_MARKS = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION")


class Llm(Protocol):
    """Whatever can answer a question."""

    def answer(self, question: Question) -> str:
        """The answer's text. Raises LlmError."""
        ...


class ClaudeCli:
    """The `claude` command as a model: no hooks, no tools, no transcript, and a guard against starting itself again."""

    def __init__(self, *, command: str, environ: Mapping[str, str], folder: str) -> None:
        self._command = command
        self._folder = folder  # one without a CLAUDE.md
        self._environ = {name: value for name, value in environ.items() if name not in PARENT_MARKS}
        self._environ["NOKORI_EXTRACTING"] = "1"

    def answer(self, question: Question) -> str:
        body = _without_middle(question.body.encode(), CLI_MAX_BODY_BYTES)
        argv = [self._command, "-p", "--model", CLI_MODEL, "--system-prompt", question.system, *CLI_FLAGS]
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environ,
                cwd=self._folder,
                start_new_session=True,
            )
        except OSError as error:
            raise LlmCommandFailed("The `claude` command could not be started.") from error
        return _finished(process, body, timeout_seconds=max(CLI_TIMEOUT_SECONDS, question.timeout_seconds))


def choose_llm(*, base_url: str, model: str, api_key: str, environ: Mapping[str, str], folder: str) -> Llm:
    """The endpoint when one is configured, else the `claude` command. Raises LlmNotConfigured."""
    if environ.get("NOKORI_EXTRACTING", "0") not in ("", "0"):
        raise LlmNotConfigured("This process was started by an extraction and must not start another.")
    if base_url and not model:
        raise LlmNotConfigured("llm.base_url is set, but llm.model is not.")
    if base_url:
        from extraction.llm_http import HttpLlm  # noqa: PLC0415  the openai package takes over a second to load

        return HttpLlm(base_url=base_url, model=model, api_key=api_key)
    command = shutil.which("claude", path=environ.get("PATH"))
    if command is None:
        raise LlmNotConfigured("No model to ask: set llm.base_url and llm.model, or install the `claude` command.")
    return ClaudeCli(command=command, environ=environ, folder=folder)


def _without_middle(body: bytes, limit: int) -> bytes:
    """At most so many bytes: the beginning and the end, where the delimiters are, and whole characters only."""
    if len(body) <= limit:
        return body
    half = (limit - len(CUT_MARK)) // 2
    pieces = (piece.decode("utf-8", "ignore").encode() for piece in (body[:half], body[-half:]))
    return CUT_MARK.join(pieces)


def _finished(process: subprocess.Popen[bytes], body: bytes, *, timeout_seconds: float) -> str:
    with process:
        try:
            output, _ = process.communicate(body, timeout=timeout_seconds)
        except subprocess.TimeoutExpired:
            raise LlmTimeout("The `claude` command took longer than it may.") from None
        finally:
            _end_group(process)
    if process.returncode:
        raise LlmCommandFailed(
            f"The `claude` command ended with exit code {process.returncode}; run `claude -p hello` to see why."
        )
    text = output.decode("utf-8", "replace").strip()
    if not text:
        raise LlmReplyEmpty("The `claude` command answered with nothing.")
    return text


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Nothing that the command started outlives its answer."""
    if os.name == "nt":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
