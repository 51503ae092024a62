"""A file with anything wrong in it changes nothing, and the sentence names the record and the field."""

import io
import json
from pathlib import Path
from uuid import uuid4

import pytest

from rules.models import Rule
from rules.refusals import RuleRefused
from rules.transfer import document, incoming
from rules.transfer.incoming import import_rules
from tests.factories import NOW, make_rule

pytestmark = pytest.mark.django_db

EXPORTS = Path(__file__).parent / "exports"
TOO_LONG = {
    "trigger_text": "x" * 16_385,
    "action": "x" * 8_193,
    "rationale": "x" * 4_097,
    "behavior": "x" * 4_097,
    "trigger_text_zh": "x" * 16_385,
    "trigger_variants": [f"variant {number}" for number in range(33)],
    "trigger_variants_zh": ["x" * 513],
    "search_terms": {f"l{number}": ["a"] for number in range(17)},
    "project_id": "x" * 256,
    "archived_reason": "x" * 4_097,
}
WRONG = {
    "id": "not-a-uuid",
    "short_id": "xyzxyz",
    "trigger_text": "  ",
    "action": None,
    "trigger_variants": "a, b",
    "trigger_variants_zh": [1],
    "search_terms": ["en"],
    "source_type": "advice",
    "confidence": 1,
    "status": "asleep",
    "project_scope": "everywhere",
    "evidence_score": -1,
    "hit_count": "7",
    "shadow_hit_count": 2**31,
    "evidence_log": {"kind": "user_correction"},
    "promotion_evidence": ["web-11111111:2025-03-05"],
    "superseded_by": "a3f2b1",
    "last_hit": "yesterday",
    "created_at": "0001-01-01T00:00:00",
    "updated_at": 1764500000,
}
WRONG_ENTRIES = {
    "evidence_log[1].kind": {"kind": "hearsay", "points": 1, "at": "2025-03-01T09:00:00Z"},
    "evidence_log[1].points": {"kind": "shadow_hot", "points": 0, "at": "2025-03-01T09:00:00Z"},
    "evidence_log[1].at": {"kind": "shadow_hot", "points": 1},
}


def original_file(version):
    return io.BytesIO((EXPORTS / f"version-{version:02d}.json").read_bytes())


def original(**changes):
    """Two good records of version 5, the second one changed."""
    file = json.loads((EXPORTS / "version-05.json").read_text(encoding="utf-8"))
    good, other = file["rules"][:2]
    return json.dumps({**file, "rules": [good, {**other, **changes}]}).encode()


def refusal_of(content):
    with pytest.raises(RuleRefused) as refused:
        import_rules(io.BytesIO(content), now=NOW)
    return str(refused.value)


@pytest.mark.parametrize("field", TOO_LONG)
def test_a_value_beyond_its_limit_is_named(field):
    sentence = refusal_of(original(**{field: TOO_LONG[field]}))

    assert sentence.startswith(f"rules[1].{field} ")
    assert Rule.objects.count() == 0


@pytest.mark.parametrize("field", WRONG)
def test_a_wrong_value_is_named_as_the_file_has_it(field):
    sentence = refusal_of(original(**{field: WRONG[field]}))

    assert sentence.startswith(f"rules[1].{field}")
    assert Rule.objects.count() == 0


@pytest.mark.parametrize("place", WRONG_ENTRIES)
def test_a_wrong_entry_of_a_log_is_named(place):
    good = {"kind": "user_correction", "points": 3, "at": "2025-03-01T09:00:00Z"}

    sentence = refusal_of(original(evidence_log=[good, WRONG_ENTRIES[place]]))

    assert sentence.startswith(f"rules[1].{place} ")


def test_a_record_that_is_no_record_is_named():
    content = json.dumps({"format": "nokori-export", "version": 5, "rules": ["a rule"]}).encode()

    assert refusal_of(content) == "rules[0] is not a record."


def test_an_id_that_stands_twice_is_named():
    first = "00000005-0000-4000-8000-00000000000a"

    assert refusal_of(original(id=first, superseded_by=None)).startswith("rules[1].id ")


def test_a_rule_cannot_supersede_itself():
    itself = "00000005-0000-4000-8000-00000000000b"

    assert refusal_of(original(id=itself, superseded_by=itself)) == "rules[1].superseded_by is the rule itself."


@pytest.mark.parametrize("severity", ["fatal", 3, {"level": "reminder"}])
def test_an_unknown_severity_is_named(severity):
    file = json.loads((EXPORTS / "version-10.json").read_text(encoding="utf-8"))
    file["rules"][0]["severity"] = severity

    assert refusal_of(json.dumps(file).encode()).startswith("rules[0].severity ")


@pytest.mark.parametrize(
    ("header", "named"),
    [
        pytest.param({"format": "nokori-export", "version": 1}, "version 1", id="older than any known"),
        pytest.param({"format": "nokori-export", "version": 11}, "version 11", id="newer than any known"),
        pytest.param({"format": "nokori-export", "version": "5"}, "version '5'", id="version as text"),
        pytest.param({"format": "nokori-rules", "version": 2}, "version 2", id="a newer one of ours"),
        pytest.param({"format": "bookmarks", "version": 3}, "'bookmarks'", id="another program's"),
        pytest.param({}, "which version", id="no header"),
    ],
)
def test_an_unknown_format_or_version_is_refused(header, named):
    assert named in refusal_of(json.dumps({**header, "rules": []}).encode())


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not json", id="text"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"version": 5, "rules": [{"id": "', id="cut off"),
        pytest.param(b'{"version": 5, "rules": {}}', id="rules are a table"),
        pytest.param(b'{"version": 5}', id="no rules"),
        pytest.param(b'{"version": 5, "rules": [{"action": "\xff"}]}', id="not utf-8"),
        pytest.param(b'{"version": 5, "rules": [' + b"[" * 100_000, id="nested without end"),
        pytest.param(b'{"version": 5, "rules": []} {"more": 1}', id="two documents"),
    ],
)
def test_what_is_no_export_gets_one_sentence(content):
    sentence = refusal_of(content)

    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_the_version_may_stand_behind_the_rules():
    file = json.loads(original())
    content = json.dumps(dict(reversed(file.items()))).encode()

    assert import_rules(io.BytesIO(content), now=NOW).imported == 2


def test_a_file_that_is_too_large_is_refused_unread(monkeypatch):
    monkeypatch.setattr(incoming, "MAX_BYTES", 1000)

    assert "1,000 are allowed" in refusal_of(original())


def test_more_rules_than_allowed_are_refused(monkeypatch):
    monkeypatch.setattr(incoming, "MAX_RECORDS", 1)

    assert refusal_of(original()) == "The file holds more than 1 rules."


def test_the_limits_are_those_that_are_promised():
    assert (document.MAX_BYTES, document.MAX_RECORDS) == (2**30, 200_000)


def test_a_failure_while_writing_leaves_nothing(monkeypatch):
    monkeypatch.setattr(incoming, "BATCH", 1)
    monkeypatch.setattr(incoming, "settle_successor", _fail_at_the_third())

    with pytest.raises(OSError, match="disk full"):
        import_rules(original_file(5), now=NOW)

    assert Rule.objects.count() == 0


def _fail_at_the_third():
    calls = []

    def settle(*_, **__):
        calls.append(1)
        if len(calls) == 3:
            raise OSError("disk full")

    return settle


def records(count):
    rules = [{"id": str(uuid4()), "trigger_text": f"Situation {number}", "action": "Act"} for number in range(count)]
    return json.dumps({"format": "nokori-export", "version": 5, "rules": rules}).encode()


def test_a_clashing_short_id_is_renamed_and_the_report_says_so():
    make_rule(short_id="5a3f2b1")

    report = import_rules(original_file(5), now=NOW)

    assert list(report.renamed) == ["5a3f2b1"]
    assert Rule.objects.get(id="00000005-0000-4000-8000-00000000000a").short_id == report.renamed["5a3f2b1"]


def test_the_number_of_statements_grows_with_the_rules_and_no_faster(django_assert_max_num_queries):
    with django_assert_max_num_queries(150):
        import_rules(io.BytesIO(records(1_000)), now=NOW)
