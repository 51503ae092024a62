"""Golden files: what each host sends, what is read of it, and what each answer looks like, byte for byte.

The payloads of golden/*.json are real ones, save Cursor's, which are the documented ones. After a wanted change:
`python -m tests.hooks.hot.test_golden` writes the files anew.
"""

import json
from pathlib import Path

import pytest

from hooks.hot.events import PASS, HookEvent, Reply
from hooks.hot.hosts.contract import parse, render

GOLDEN = Path(__file__).resolve().parent / "golden"
REPLIES = {"pass": PASS, "context": Reply(context="a rule — 规则"), "deny": Reply(deny_reason="read this first")}
READ = [name.removeprefix("_") for name in HookEvent.__slots__ if name not in ("event", "oddities", "prompt")]


def golden_cases():
    return [
        pytest.param(case, id=f"{path.stem}-{case['event']}-{number}")
        for path in sorted(GOLDEN.glob("*.json"))
        for number, case in enumerate(json.loads(path.read_text()))
    ]


def outcome(case):
    """The golden case as this program would have it."""
    event = parse(case["event"], json.dumps(case["payload"]).encode())
    replies = {name: render(event, reply).decode() for name, reply in REPLIES.items()}
    read = {name: getattr(event, name) for name in READ if getattr(event, name)}
    return {"event": case["event"], "payload": case["payload"], "read": read, "replies": replies}


@pytest.mark.parametrize("case", golden_cases())
def test_a_payload_is_read_and_answered_as_its_host_expects(case):
    assert outcome(case) == case


@pytest.mark.parametrize("case", golden_cases())
def test_nb009_no_answer_of_any_host_asks_or_allows(case):
    assert case["replies"]["pass"] == ""
    assert not {'"ask"', '"allow"', '"block"', '"defer"'} & set(case["replies"]["deny"].replace(":", " ").split())


def test_every_host_has_its_file():
    assert {path.stem for path in GOLDEN.glob("*.json")} >= {"claude-code-2.1.332", "codex-cli-0.171.0", "cursor"}


if __name__ == "__main__":
    for path in GOLDEN.glob("*.json"):
        cases = [outcome(case) for case in json.loads(path.read_text())]
        path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
