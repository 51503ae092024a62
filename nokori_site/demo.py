"""The whole story on one terminal page: a rule is taught, reaches the agent, blocks once, lets the retry pass.

Everything happens in a throwaway folder through the hook lines that `install` writes; nothing of yours is read or
changed. Exit code 1 when anything is not as promised.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hooks.registration import line_words

MANAGE = Path(__file__).resolve().parents[1] / "manage.py"
RULE = (
    *("--trigger", "Force pushing to a shared branch"),
    *("--action", "Use --force-with-lease, or push to a new branch"),
    *("--rationale", "a force push overwrites what others pushed"),
    *("--source-type", "correction", "--confidence", "high"),
    *("--variants", "git push --force,git push -f"),
)
UNRELATED = "Make the heading of the start page a little smaller, please"
DRIFTING = "I'll just git push --force this branch"
TOOL_CALL = {"tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}}
READING_SECONDS = 1.0  # what a model takes to read a deny; longer than gate.batch_window_ms
FOREIGN_PREFIXES = ("NOKORI_", "CLAUDE", "CURSOR_", "DJANGO_")  # settings of yours that must not reach the demo
WIDTH = 110
RULER = "=" * 55


class BrokenPromiseError(Exception):
    """The demo saw something other than what was promised."""


@dataclass(frozen=True)
class Answer:
    """What a hook printed, and how long the whole process took."""

    text: str
    milliseconds: float

    def part(self, name: str) -> str:
        """A text of the answer's hookSpecificOutput; empty when the hook passed."""
        return str(json.loads(self.text)["hookSpecificOutput"].get(name, "")) if self.text else ""


def main() -> int:
    with TemporaryDirectory(prefix="nokori-demo-") as folder:
        try:
            tell_story(Path(folder))
        except BrokenPromiseError as broken:
            say("", f"NOT AS PROMISED: {broken}")
            return 1
    return 0


def tell_story(folder: Path) -> None:
    environment = throwaway_environment(folder)
    say("From one correction to one branch that nobody overwrote", RULER)
    say(f"Everything below happens in {folder}, which is gone at the end.")

    chapter("1  You correct your agent once, and the correction becomes a rule.")
    show(manage("add", *RULE, environment=environment))
    chapter("2  The hooks go into the settings of Claude Code (here: into throwaway ones).")
    manage("install", environment=environment)
    lines = hook_lines(folder / "claude" / "settings.json")
    show("\n".join(f"{event:<17} {line}" for event, line in lines.items()))

    session = Session(lines, folder, environment)
    session.fire("SessionStart", source="startup")
    unrelated_prompt(session)
    reminded_prompt(session)
    blocked_call(session)
    retried_call(session)
    session.fire("SessionEnd", reason="prompt_input_exit")
    what_was_noted(environment)


def unrelated_prompt(session: Session) -> None:
    chapter(f"3  A prompt that has nothing to do with it: '{UNRELATED}'")
    answer = session.fire("UserPromptSubmit", prompt=UNRELATED, prompt_id="first")
    promise(answer.text == "", "an unrelated prompt gets no rule")
    say(f"   The hook prints nothing ({answer.milliseconds:.0f} ms for the whole process).")


def reminded_prompt(session: Session) -> None:
    chapter(f"4  A prompt that drifts near: '{DRIFTING}'")
    answer = session.fire("UserPromptSubmit", prompt=DRIFTING, prompt_id="second")
    context = answer.part("additionalContext")
    promise("--force-with-lease" in context, "the rule is put into the agent's context")
    say(f"   The agent reads this before it answers ({answer.milliseconds:.0f} ms):")
    show(context)


def blocked_call(session: Session) -> None:
    chapter("5  The agent calls Bash: git push --force origin main")
    answer = session.fire("PreToolUse", **TOOL_CALL, tool_use_id="toolu_first")
    reason = answer.part("permissionDecisionReason")
    promise(answer.part("permissionDecision") == "deny", "the first call is denied")
    promise("--force-with-lease" in reason, "the reason names the rule")
    say(f"   Denied, once ({answer.milliseconds:.0f} ms). The agent gets this instead of a result:")
    show(reason)


def retried_call(session: Session) -> None:
    chapter("6  The agent has read it, and makes the same call again.")
    time.sleep(READING_SECONDS)
    answer = session.fire("PreToolUse", **TOOL_CALL, tool_use_id="toolu_second")
    promise(answer.text == "", "the call passes on retry")
    say(
        f"   The hook prints nothing, so the call runs ({answer.milliseconds:.0f} ms). The gate blocks once, it never forbids."
    )


def what_was_noted(environment: Mapping[str, str]) -> None:
    chapter("7  The session is over. What the hooks noted is filed, and can be looked at.")
    show(manage("status", environment=environment))
    say("", "All as promised. The README says how to install it for your own Claude Code.")


@dataclass(frozen=True)
class Session:
    """One made-up session of Claude Code: it runs the registered hook lines with real payloads."""

    lines: Mapping[str, str]
    folder: Path
    environment: Mapping[str, str]

    def fire(self, event: str, **fields: Any) -> Answer:
        payload = {
            "session_id": "0d3c1f5e-6f0a-4c3b-9d55-7c1e2a9b4d10",
            "transcript_path": str(self.folder / "session.jsonl"),
            "cwd": str(self.folder),
            "hook_event_name": event,
            **fields,
        }
        start = time.perf_counter()
        command = line_words(self.lines[event])
        text = run(command, environment=self.environment, stdin=json.dumps(payload))
        return Answer(text, 1000 * (time.perf_counter() - start))


def throwaway_environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN_PREFIXES)}
    places = {"NOKORI_DATA_DIR": "data", "NOKORI_CLAUDE_HOME": "claude", "HOME": "home"}
    return {**kept, **{name: str(folder / place) for name, place in places.items()}, "NOKORI_NO_SPAWN": "1"}


def hook_lines(settings: Path) -> dict[str, str]:
    """The command of each event, read back from the settings file as the agent reads it."""
    hooks = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    return {event: groups[0]["hooks"][0]["command"] for event, groups in hooks.items()}


def manage(verb: str, *options: str, environment: Mapping[str, str]) -> str:
    """Shows a command with each option on a line of its own, and runs it; what it printed."""
    pairs = (f'{name} "{value}"' for name, value in zip(options[::2], options[1::2], strict=True))
    indent = " " * len(f"   $ manage.py {verb} ")
    say((f"   $ manage.py {verb} " + f"\n{indent}".join(pairs)).rstrip())
    return run([sys.executable, str(MANAGE), verb, *options], environment=environment)


def run(command: list[str], *, environment: Mapping[str, str], stdin: str = "") -> str:
    done = subprocess.run(command, env=dict(environment), input=stdin, capture_output=True, text=True, check=False)
    promise(done.returncode == 0, f"{shlex.join(command)} ends well, but it said: {done.stdout}{done.stderr}")
    return done.stdout


def promise(kept: bool, sentence: str) -> None:
    if not kept:
        raise BrokenPromiseError(sentence)


def chapter(title: str) -> None:
    say("", title)


def show(text: str) -> None:
    for line in text.splitlines():
        wrapped = textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
        say(*(f"   | {part}" for part in wrapped))


def say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
