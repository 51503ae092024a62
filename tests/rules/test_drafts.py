import pytest

from rules.drafts import clean_columns, clean_text
from rules.refusals import RuleRefused


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        pytest.param("  a b \n", "a b", id="blanks around it go"),
        pytest.param("a\r\nb\rc", "a\nb\nc", id="lines end in a newline"),
        pytest.param("a\u2028b\x0cc", "a\nb\nc", id="line separators are lines"),
        pytest.param("a\x00b\x1b[31mc\x7f\x9b", "ab[31mc", id="control characters go"),
        pytest.param("a\ud800b\udcffc", "abc", id="lone surrogates go"),
        pytest.param("a\u202eb\u2066c", "abc", id="marks that reorder text go"),
        pytest.param("a\tb 强推 🐙 é", "a\tb 强推 🐙 é", id="every script stays"),
    ],
)
def test_text_is_cleaned(written, kept):
    assert clean_text(written) == kept


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("trigger", "", "trigger is empty."),
        ("trigger", " \x00 ", "trigger is empty."),
        ("trigger", "ab", "trigger has 2 characters; 3 to 16,384 are allowed."),
        ("trigger", "x" * 16385, "trigger has 16,385 characters; 3 to 16,384 are allowed."),
        ("trigger", None, "trigger is not text."),
        ("action", " ", "action is empty."),
        ("action", "x" * 8193, "action has 8,193 characters; 1 to 8,192 are allowed."),
        ("rationale", "x" * 4097, "rationale has 4,097 characters; 0 to 4,096 are allowed."),
        ("behavior_zh", 3, "behavior_zh is not text."),
        ("variants", "one, two", "variants is not a list."),
        ("variants", [f"v{n}" for n in range(33)], "variants has 33 entries; 32 are allowed."),
        ("excludes", ["x" * 513], "excludes has 513 characters; 0 to 512 are allowed."),
        ("search_terms", ["en"], "search_terms is not a table of languages."),
        ("search_terms", {"en": "a"}, "search_terms en is not a list."),
        ("search_terms", {f"l{n}": ["a"] for n in range(17)}, "search_terms has 17 languages; 16 are allowed."),
        ("search_terms", {"en": [f"t{n}" for n in range(65)]}, "search_terms en has 65 entries; 64 are allowed."),
        ("tool_pattern", "(", "tool_pattern is not a regular expression: missing ), unterminated subpattern"),
        ("tool_pattern", "a" * 513, "tool_pattern has 513 characters; 0 to 512 are allowed."),
        (
            "tool_pattern",
            "a{99999999999}",
            "tool_pattern is not a regular expression: the repetition number is too large.",
        ),
        ("source_type", "hint", "source_type 'hint' is not known; use correction, preference, solution, anti_pattern."),
        ("confidence", "", "confidence '' is not known; use high, medium, low."),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_bad_value_is_refused_in_one_sentence(column, value, sentence):
    with pytest.raises(RuleRefused) as refused:
        clean_columns({column: value})

    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("column", "longest"), [("trigger", 16384), ("action", 8192), ("rationale", 4096)])
def test_the_longest_text_is_taken(column, longest):
    assert len(clean_columns({column: "x" * longest})[column]) == longest


def test_lists_lose_empty_and_double_entries_and_line_breaks():
    assert clean_columns({"variants": ["a", " ", "b\nc", "a"]}) == {"variants": ["a", "b c"]}


def test_languages_without_terms_go():
    assert clean_columns({"search_terms": {"en": ["a"], "zh": [" "]}}) == {"search_terms": {"en": ["a"]}}


def test_a_doubtful_pattern_still_counts(recwarn):
    assert clean_columns({"tool_pattern": "[[a]"}) == {"tool_pattern": "[[a]"}
    assert not recwarn.list
