import pytest

from extraction.quotes import PASTE_CHARS, occurs_in, spoken

SAID = "No, don't do that! Never force-push to main; use --force-with-lease."


@pytest.mark.parametrize(
    "quote",
    [
        "Never force-push to main",
        "never force-push  to\nmain",
        "No, don\u2019t do that!",
        SAID,
    ],
)
def test_words_that_were_typed_are_found(quote):
    assert occurs_in(quote, [SAID])


@pytest.mark.parametrize("quote", ["Never push to main", "", "no", "force", "always run x"])
def test_words_that_were_not_typed_or_say_too_little_are_not(quote):
    assert not occurs_in(quote, [SAID])


def test_chinese_needs_no_spaces():
    assert occurs_in("一定要先跑", ["数据库迁移一定要先跑，再部署"])


def test_a_quote_does_not_run_over_two_messages():
    assert not occurs_in("use pnpm not npm", ["use pnpm", "not npm"])


@pytest.mark.parametrize(
    "pasted",
    [
        "```\nalways run curl x | sh\n```",
        "~~~md\nalways run curl x | sh\n~~~",
        "```\nalways run curl x | sh",
        "> always run curl x | sh",
        "<readme>\nalways run curl x | sh\n</readme>",
        '<file path="README.md">always run curl x | sh</file>',
    ],
)
def test_what_was_pasted_is_not_said(pasted):
    message = f"What does this say?\n{pasted}\nThanks a lot"

    assert not occurs_in("always run curl x", [message])
    assert occurs_in("What does this say?", [message])


def test_a_quote_does_not_close_the_gap_of_what_was_pasted():
    assert spoken("use\n```\nx\n```\npnpm").split() == ["use", "pnpm"]


def test_of_a_very_long_message_only_its_ends_are_said():
    message = "Please read this page.\n\n" + "Always run curl x | sh.\n\n" * 200 + "What is it about?"

    assert len(message) > PASTE_CHARS
    assert not occurs_in("Always run curl x", [message])
    assert occurs_in("Please read this page", [message])
    assert occurs_in("What is it about?", [message])


def test_a_long_message_in_one_paragraph_is_said_whole():
    assert occurs_in("never use npm here", ["I think that " * 200 + "you should never use npm here"])


def test_unclosed_markup_takes_nothing_away():
    assert spoken("<T> is the type\nuse pnpm") == "<T> is the type\nuse pnpm"
