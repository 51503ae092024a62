"""Which languages a model knows."""

import pytest

from retrieval.embeddings.languages import languages_of_card, languages_of_name, parse_languages
from retrieval.embeddings.protocol import EmbedderUnavailable


@pytest.mark.parametrize(
    ("setting", "languages"),
    [("", None), ("all", None), ("en", {"en"}), ("EN, zh;ja".replace(";", " "), {"en", "zh", "ja"})],
)
def test_the_setting_lists_codes(setting, languages):
    assert parse_languages(setting) == languages


def test_what_is_no_code_is_refused():
    with pytest.raises(EmbedderUnavailable, match=r"embed\.languages"):
        parse_languages("English")


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        pytest.param("---\nlanguage: en\ntags: [x]\n---\n# M", {"en"}, id="one"),
        pytest.param("---\nlanguage:\n- en\n- zh\nlicense: mit\n---\n", {"en", "zh"}, id="a list"),
        pytest.param("---\nlanguage: [en, ja]\n---\n", {"en", "ja"}, id="a list in one line"),
        pytest.param("---\nlanguage:\n- multilingual\n- en\n---\n", None, id="multilingual"),
        pytest.param(
            "---\nlanguage: [aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al]\n---\n", None, id="many stand for all"
        ),
        pytest.param("---\nlicense: mit\n---\nlanguage: en", None, id="not in the front matter"),
        pytest.param("# only text", None, id="no front matter"),
    ],
)
def test_a_model_card_lists_them(tmp_path, card, languages):
    (tmp_path / "README.md").write_text(card, encoding="utf-8")

    assert languages_of_card(tmp_path) == languages


def test_no_card_tells_nothing(tmp_path):
    assert languages_of_card(tmp_path) is None


@pytest.mark.parametrize(
    ("model", "languages"),
    [
        ("sentence-transformers/all-MiniLM-L6-v2", {"en"}),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", None),
        ("intfloat/e5-small-v2", {"en"}),
        ("intfloat/multilingual-e5-small", None),
        ("BAAI/bge-small-en-v1.5", {"en"}),
        ("BAAI/bge-small-zh-v1.5", {"en", "zh"}),
        ("BAAI/bge-m3", None),
        ("nomic-embed-text", {"en"}),
        ("nomic-embed-text:latest", {"en"}),
        ("nomic-ai/nomic-embed-text-v2-moe", None),
        ("ibm-granite/granite-embedding-97m-multilingual-r2", None),
        ("ibm-granite/granite-embedding-30m-english", {"en"}),
        ("text-embedding-3-small", None),
    ],
)
def test_the_names_of_known_families_tell(model, languages):
    assert languages_of_name(model) == languages
