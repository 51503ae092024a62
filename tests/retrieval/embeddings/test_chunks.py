"""What of a rule and of a prompt is embedded."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.embeddings.chunks import MAX_QUERY_CHARS, clip_query, cut_chunks, rule_chunks
from tests.retrieval.indexes import FORCE_PUSH, make_document


def test_a_rule_is_embedded_by_its_own_phrases_in_both_languages():
    rule = make_document(
        "Force pushing", trigger_zh="强推", variants=("git push -f",), action="Ask first", action_zh="先问"
    )

    assert rule_chunks(rule, size=4000, count=2) == ["Force pushing\n强推\ngit push -f\nAsk first\n先问"]


def test_a_long_rule_gives_so_many_chunks_and_no_more():
    rule = make_document("word " * 50)

    chunks = rule_chunks(rule, size=100, count=2)

    assert len(chunks) == 2
    assert all(len(chunk) <= 100 for chunk in chunks)


def test_a_chunk_ends_after_a_sentence_where_there_is_one():
    assert cut_chunks("One two three. Four five six seven", size=24, count=2) == [
        "One two three.",
        "Four five six seven",
    ]


def test_a_text_without_any_break_is_cut_at_the_limit():
    assert cut_chunks("a" * 25, size=10, count=9) == ["a" * 10, "a" * 10, "a" * 5]


@given(st.text(max_size=200), st.integers(16, 40), st.integers(1, 3))
def test_there_is_always_a_chunk_and_none_is_too_long(text, size, count):
    chunks = cut_chunks(text, size=size, count=count)

    assert 1 <= len(chunks) <= count
    assert all(len(chunk) <= size for chunk in chunks)


def test_of_a_huge_prompt_both_ends_are_embedded():
    clipped = clip_query("first" + "x" * 1_000_000 + "last")

    assert clipped.startswith("first")
    assert clipped.endswith("last")
    assert len(clipped) <= MAX_QUERY_CHARS + 1


def test_a_usual_prompt_and_a_usual_rule_stay_whole():
    assert clip_query(FORCE_PUSH.trigger) == FORCE_PUSH.trigger
    assert len(rule_chunks(FORCE_PUSH, size=4000, count=2)) == 1
