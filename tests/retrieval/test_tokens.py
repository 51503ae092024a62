"""tokens: what words become, and which of them count as one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.lexical.tokens import (
    HAN,
    HANGUL,
    KANA,
    LATIN,
    PIECE,
    _pieces,
    count_words,
    script_of,
    surfaces,
    tokenize,
    word_sequence,
)

ROOT = Path(__file__).resolve().parents[2]


def terms_of(text: str) -> list[str]:
    return [term for term, _ in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Pushing pushed PUSHES", ["push", "push", "push"]),
        ("the state of the art", ["state", "art"]),
        ("I'll just git push", ["git", "push"]),
        ("snake_case-and/paths.py", ["snake", "case", "path", "py"]),
        ("setState", ["setstat", "set", "state"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("the APIs", ["api"]),
        ("rm -rf / x", ["rm", "rf"]),
        ("Ｆｏｒｃｅ　ｐｕｓｈ", ["forc", "push"]),
        ("Straße", ["strass"]),
        ("强推", ["强推", "强", "推"]),
        ("数据库", ["数据", "据库", "数", "据", "库"]),
        ("SQL语句", ["sql", "语句", "语", "句"]),
        ("ﾃｽﾄ", ["テス", "スト", "テ", "ス", "ト"]),
        ("코드", ["코드", "코", "드"]),
        ("", []),
        ("... --- !?", []),
    ],
)
def test_text_becomes_terms(text, terms):
    assert terms_of(text) == terms


def test_the_parts_of_an_identifier_are_one_word():
    assert [number for _, number in tokenize("setState now")] == [0, 0, 0, 2]


def test_pairs_that_share_a_character_are_one_word_and_a_single_character_is_none():
    numbers = [number for _, number in tokenize("数据库表") if number is not None]

    assert numbers == [0, 1, 2]
    assert [count_words(numbers[:2]), count_words(numbers)] == [1, 2]
    assert {number for term, number in tokenize("数据库表") if len(term) == 1} == {None}


def test_words_of_two_scripts_in_a_row_are_two():
    numbers = {number for _, number in tokenize("SQL语句") if number is not None}

    assert count_words(numbers) == 2


@pytest.mark.parametrize(
    ("term", "script"),
    [("push", LATIN), ("müll", LATIN), ("да", LATIN), ("强推", HAN), ("を使", KANA), ("テス", KANA), ("코드", HANGUL)],
)
def test_a_term_belongs_to_one_script(term, script):
    assert script_of(term) == script


def test_terms_are_shown_as_they_were_typed():
    typed = surfaces("Pushing with setState 强推")

    assert (typed["push"], typed["state"], typed["强推"]) == ("pushing", "setstate", "强推")


def test_a_word_sequence_keeps_stop_words_and_order():
    assert word_sequence("Forced with lease 强推") == " forc with leas 强 推 "


def test_a_very_long_word_counts_by_its_head():
    assert terms_of("x" * 5_000) == ["x" * 64]


@given(st.text(max_size=200))
def test_any_text_gives_terms_that_can_be_stored(text):
    terms = terms_of(text)

    assert terms == terms_of(text)
    assert all(term.encode() and term.split() == [term] for term in terms)


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=80))
def test_ascii_and_other_text_share_one_way(text):
    assert terms_of(text) == terms_of(f"{text} 中")[: len(terms_of(text))]


def test_without_the_stemmer_words_stay_as_they_are_and_the_tokenizer_has_another_name():
    program = (
        "import sys; sys.modules['Stemmer'] = None; from retrieval.lexical import tokens;"
        "print(tokens.TOKENIZER_ID, tokens.tokenize('pushing')[0][0])"
    )

    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)

    assert answer.stdout.split() == ["nokori1", "pushing"]


@pytest.mark.parametrize(
    "filler", ["word ", "強制推送", "wörd", "e\u0301 "], ids=["ASCII", "CJK", "one word", "accents"]
)
def test_a_long_text_has_the_words_of_its_pieces(filler):
    text = filler * 2_000 + " cafe\u0301 \uff46\uff55\uff4c\uff4c"

    assert "".join(_pieces(text)) == text
    assert max(map(len, _pieces(text))) <= PIECE
    assert [term for term, _ in tokenize(text)][-2:] == [term for term, _ in tokenize("café full")]


def test_a_piece_ends_in_a_space_so_that_no_accent_is_parted_from_its_letter():
    text = "e\u0301 " * 2_000

    assert all(piece.endswith(" ") for piece in _pieces(text))
    assert {term for term, _ in tokenize("ae\u0301 " * 2_000)} == {term for term, _ in tokenize("aé")}
