"""The client: every event ends with exit 0 and an empty or valid answer."""

import pytest

from hooks.hot.client import TRUE_WORDS
from rules import fields
from tests.hooks.hot.conftest import FORCE_PUSH, LOCKFILE


def test_a_matching_prompt_gets_the_rule(run_hook, publish):
    publish(FORCE_PUSH, LOCKFILE)

    done = run_hook("user-prompt-submit", prompt="I'll just git push --force this branch")

    assert done.exit_code == 0
    assert done.reply["hookEventName"] == "UserPromptSubmit"
    assert "[HOT a1b2c3]" in done.context
    assert "Use --force-with-lease" in done.context


def test_an_unrelated_prompt_gets_nothing(run_hook, publish):
    publish(FORCE_PUSH, LOCKFILE)

    done = run_hook("user-prompt-submit", prompt="what is the weather like")

    assert (done.exit_code, done.stdout) == (0, b"")


def test_the_words_for_on_are_those_of_the_settings():
    assert TRUE_WORDS == fields.TRUE_WORDS


@pytest.mark.parametrize(
    "event", ["session-start", "user-prompt-submit", "pre-tool-use", "session-end", "nonsense", ""]
)
@pytest.mark.parametrize(
    "raw",
    [b"", b"nonsense", b"[]", b"null", b'"text"', b"\xff\xfe\x00", '{"prompt": "強制"}'.encode("cp932")],
    ids=["empty", "no JSON", "a list", "null", "a string", "no text", "cp932"],
)
def test_bad_input_is_a_pass(run_hook, event, raw):
    done = run_hook(event, raw=raw)

    assert (done.exit_code, done.stdout, done.stderr) == (0, b"", b"")
