import json

import pytest

from extraction.quote_context import quote_context
from rules.evidence import add_evidence
from rules.lifecycle import EvidenceKind
from tests.extraction.making import make_job
from tests.extraction.transcripts import said, tool_use, typed
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db
QUOTE = "no, never edit the generated files by hand"
TALK = [
    typed("Please fix the client."),
    said("I will edit client/generated.py."),
    tool_use("Edit", path="client/generated.py"),
    typed(f"Stop. {QUOTE.upper()}!"),
    said("Understood, I change the generator. Key: sk-proj-abcDEF0123456789abcDEF0123"),
    typed("Thanks."),
]


@pytest.fixture
def learned(tmp_path):
    """A candidate whose quote stands in a transcript."""
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in TALK))
    make_job(path, session_id="s9")
    rule = make_rule(status="candidate", quote=QUOTE)
    add_evidence(rule, EvidenceKind.USER_CORRECTION, now=NOW, session_id="s9")
    return rule


def test_the_talk_around_the_quote_is_read_again(learned, tmp_path):
    context = quote_context(learned, roots=[str(tmp_path)])

    assert context is not None
    assert [(turn.is_human, turn.holds_quote) for turn in context] == [
        (True, False),
        (False, False),
        (True, True),
        (False, False),
    ]


def test_secrets_in_it_are_taken_out(learned, tmp_path):
    context = quote_context(learned, roots=[str(tmp_path)])

    assert context is not None
    assert "sk-proj" not in "".join(turn.text for turn in context)


def test_a_transcript_elsewhere_is_not_opened(learned, tmp_path):
    assert quote_context(learned, roots=[str(tmp_path / "other")]) is None


def test_a_transcript_that_is_gone_has_no_context(learned, tmp_path):
    (tmp_path / "s.jsonl").unlink()

    assert quote_context(learned, roots=[str(tmp_path)]) is None


def test_a_rule_written_by_hand_has_no_context(tmp_path):
    assert quote_context(make_rule(), roots=[str(tmp_path)]) is None
