"""passages: what of a prompt is matched as one."""

from __future__ import annotations

from retrieval.lexical.passages import MAX_PROMPT_CHARS, PASSAGE_WORDS, cut_passages

WORDS = [f"word{number}" for number in range(200)]


def test_a_short_prompt_is_one_passage_whatever_its_lines():
    (passage,) = cut_passages("git push\n\nto main. Then deploy!")

    assert list(passage.words)[:4] == ["git", "push", "main", "deploy"]


def test_a_long_prompt_is_cut_into_lines_and_sentences():
    sentences = [f"alpha{number} beta{number} gamma{number}" for number in range(20)]

    passages = cut_passages(". ".join(sentences[:10]) + "\n" + "。".join(sentences[10:]))

    assert [len(passage.words) for passage in passages] == [3] * 20


def test_a_long_sentence_is_cut_into_windows_that_overlap_by_half():
    first, second, *_ = cut_passages(" ".join(WORDS))

    assert len(first.words) == len(second.words) == PASSAGE_WORDS
    assert len(first.words.keys() & second.words.keys()) == PASSAGE_WORDS // 2


def test_no_word_is_lost_by_cutting():
    passages = cut_passages(" ".join(WORDS))

    assert set().union(*(passage.words for passage in passages)) == set(WORDS)


def test_a_line_that_repeats_is_one_passage():
    passages = cut_passages("\n".join(["connection refused by upstream", *[" ".join(WORDS[:38])] * 3]))

    assert len(passages) == 2


def test_of_a_huge_prompt_both_ends_count():
    filler = "lorem ipsum dolor sit amet\n" * (MAX_PROMPT_CHARS // 20)

    words = set().union(*(passage.words for passage in cut_passages(f"question first\n{filler}question last")))

    assert {"first", "last"} <= words


def test_separate_words_of_a_passage_are_counted_once():
    (passage,) = cut_passages("setState 数据库")

    assert passage.count_words(passage.words) == 2
    assert passage.count_words([]) == 0
